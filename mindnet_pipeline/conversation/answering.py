"""A conversation with the vault: each question is searched for and put to the model, and its answer is checked.

The store is open only for the search, never while the model speaks. Settings and prompts are read anew at each
question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Literal

from mindnet_pipeline.conversation.citations import CitationFilter
from mindnet_pipeline.conversation.client import ModelClient
from mindnet_pipeline.conversation.follow_ups import searched_for
from mindnet_pipeline.conversation.freshness import LastGood
from mindnet_pipeline.conversation.languages import asked_in
from mindnet_pipeline.conversation.messages import MESSAGES, Messages
from mindnet_pipeline.conversation.passages import Passage, make_passages
from mindnet_pipeline.conversation.prompt import Prompt, Turn, build_prompt
from mindnet_pipeline.conversation.protocol import LanguageModel, ModelError, Problem
from mindnet_pipeline.conversation.thinking import ThoughtFilter
from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.retrieval.filters import NO_FILTERS, Filters
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.retriever import open_retriever
from mindnet_pipeline.settings import ChatOptions, EmbeddingOptions, PromptOptions, Settings, default_prompts
from mindnet_pipeline.settings.pipeline import Language
from mindnet_pipeline.storage.embedders import chosen_engine, open_embedder
from mindnet_pipeline.storage.embedders.protocol import Embedder

Outcome = Literal["answered", "nothing", "no_model", "failed", "interrupted"]
"""`no_model`: none is reachable, which is a way to use mindnet; `failed`: one is there and something went wrong."""

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question. `text` is as checked, None if the model said nothing; `notices` are whole sentences.

    `passages` are those that the model was given; `cited` and `removed` are numbers in the order of their appearance.
    """

    question: str
    language: Language
    outcome: Outcome
    result: SearchResult
    model: str
    text: str | None = None
    passages: tuple[Passage, ...] = ()
    cited: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[Passage, ...]:
        """The passages that the answer cites, by number."""
        return tuple(passage for passage in self.passages if passage.number in self.cited)


@dataclass(frozen=True, slots=True)
class Asking:
    """How to search: filters, number of passages (None: chat.passages) and kind of question."""

    filters: Filters = NO_FILTERS
    limit: int | None = None
    intent: str = "auto"


class Conversation:
    """Questions that follow one another.

    `load` reads the settings, `model` makes a client for them, `log` keeps a search for learning and returns what went
    wrong, if anything.
    """

    def __init__(
        self,
        load: Callable[[], Settings],
        asking: Asking | None = None,
        *,
        model: Callable[[ChatOptions], LanguageModel] = ModelClient,
        log: Callable[[Settings, SearchResult], str] | None = None,
    ) -> None:
        self._asking = asking or Asking()
        self._model = model
        self._log = log
        self._settings = LastGood(load)
        self._prompts = LastGood(lambda: self._settings.latest.prompts, default_prompts)
        self._turns: list[Turn] = []
        self._embedder: tuple[tuple[EmbeddingOptions, str, str], Embedder] | None = None

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self._settings.current()[0]

    def forget(self) -> None:
        """Begin anew: what was said so far is not told to the model any more."""
        self._turns.clear()

    def ask(self, question: str, show: Callable[[str], None]) -> Answer:
        """The answer; `show` is given its checked text as it comes. Ctrl-C ends it and keeps what is there.

        Raises:
            MindnetError: the question cannot be searched for (store locked, nothing indexed, wrong configuration …).
        """
        asked = self._search(question)
        if not _is_relevant(asked):
            nothing = asked.prompts.nothing.text(asked.language)
            show(nothing)
            return asked.answer("nothing", text=nothing)
        prompt = asked.prompt(self._turns)
        answer = self._put(asked, prompt, show) if prompt.passages else asked.answer("failed", asked.no_room)
        if answer.text:
            self._turns.append(Turn(question, answer.text))
        return answer

    def prompt_for(self, question: str) -> Prompt:
        """What the model would be told; it is not asked."""
        return self._search(question).prompt(self._turns)

    def _search(self, question: str) -> _Asked:
        settings, wrong_settings = self._settings.current()
        prompts, wrong_prompts = self._prompts.current()
        language = _answer_language(question, prompts, settings)
        messages = MESSAGES[language]
        previous = self._turns[-1].question if self._turns else ""
        speaking = replace(settings, language=language)
        with open_retriever(speaking, self._open_embedder(settings)) as retriever:
            result = retriever.search(
                searched_for(question, previous),
                limit=settings.chat.passages if self._asking.limit is None else self._asking.limit,
                filters=self._asking.filters,
                explain=True,
                intent=self._asking.intent,
            )
        kept = messages.last_good if self._prompts.is_own else messages.as_shipped
        notices = [
            f"{wrong_settings} {messages.last_good}" if wrong_settings else "",
            f"{wrong_prompts} {kept}" if wrong_prompts else "",
            *result.notices,
            self._log(settings, result) if self._log else "",
        ]
        return _Asked(question, language, result, settings, prompts, tuple(filter(None, notices)))

    def _put(self, asked: _Asked, prompt: Prompt, show: Callable[[str], None]) -> Answer:
        """Ask the model and check what it says."""
        check = CitationFilter(len(prompt.passages))
        said: list[str] = []

        def passed_on(text: str) -> None:
            if text:
                said.append(text)
                show(text)

        outcome: Outcome = "answered"
        notice = asked.messages.question_cut if prompt.question_cut else ""
        try:
            finish = _spoken(self._model(asked.settings.chat), prompt, check, passed_on)
            if finish == "length":
                notice = asked.messages.cut_off.format(asked.settings.chat.answer_tokens)
        except ModelError as error:
            outcome = "no_model" if error.problem.kind == "unreachable" else "failed"
            notice = asked.messages.problem(error.problem, asked.settings.chat, partial=bool(said))
        except KeyboardInterrupt:
            outcome, notice = "interrupted", asked.messages.interrupted
        passed_on(check.close())
        text = "".join(said).strip()
        if outcome == "answered" and _same_words(text, asked.prompts.nothing.text(asked.language)):
            outcome = "nothing"
        answer = asked.answer(outcome, notice, text or None)
        return replace(
            answer,
            passages=tuple(prompt.passages),
            cited=tuple(check.cited),
            removed=tuple(check.removed),
            notices=(*answer.notices, *([asked.messages.removed_numbers(check.removed)] if check.removed else [])),
        )

    def _open_embedder(self, settings: Settings) -> Embedder:
        """The embedding model, opened once as long as the settings name the same."""
        wanted = (settings.embedding, settings.data, chosen_engine(settings.embedding, settings.data))
        if self._embedder is None or self._embedder[0] != wanted:
            self._embedder = (wanted, open_embedder(settings.embedding, settings.data))
        return self._embedder[1]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with what was found for it."""

    question: str
    language: Language
    result: SearchResult
    settings: Settings
    prompts: PromptOptions
    notices: tuple[str, ...]

    @property
    def messages(self) -> Messages:
        return MESSAGES[self.language]

    @property
    def no_room(self) -> str:
        return self.messages.no_room.format(self.settings.chat.context_tokens)

    def prompt(self, turns: Sequence[Turn]) -> Prompt:
        passages = make_passages(self.result.hits, self.settings.registry, self.language)
        texts = (self.prompts, self.result.intent.template, self.language)
        return build_prompt(self.question, passages, turns, texts, self.settings.chat)

    def answer(self, outcome: Outcome, notice: str = "", text: str | None = None) -> Answer:
        notices = (*self.notices, notice) if notice else self.notices
        model = self.settings.chat.model
        return Answer(self.question, self.language, outcome, self.result, model, text=text, notices=notices)


def _spoken(model: LanguageModel, prompt: Prompt, check: CitationFilter, passed_on: Callable[[str], None]) -> str:
    """Pass on what the model says; why it ended."""
    finish, silent = "", True
    thoughts = ThoughtFilter()
    with closing(model.stream(prompt.messages)) as deltas:
        for delta in deltas:
            text = thoughts.feed(delta.text)
            silent = silent and not text.strip()
            passed_on(check.feed(text))
            finish = delta.finish or finish
    passed_on(check.feed(thoughts.close()))
    if silent:
        raise ModelError(Problem("silent"))
    return finish


def _is_relevant(asked: _Asked) -> bool:
    hits: Sequence[Hit] = asked.result.hits
    return max((hit.relevance for hit in hits), default=-1.0) >= asked.settings.chat.relevance


def _same_words(first: str, second: str) -> bool:
    return _WORDS.findall(first.casefold()) == _WORDS.findall(second.casefold())


def _answer_language(question: str, prompts: PromptOptions, settings: Settings) -> Language:
    return asked_in(question, settings.language) if prompts.language == "question" else prompts.language
