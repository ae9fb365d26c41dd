"""What the model is told: rules and persona, the conversation so far, the passages, the question. Pure.

Everything together stays within the model's window less the room for the answer, by a count that is rather too high.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mindnet_pipeline.conversation.citations import without_citations
from mindnet_pipeline.conversation.fitting import cut, fit
from mindnet_pipeline.conversation.messages import MESSAGES
from mindnet_pipeline.conversation.passages import Passage, render_passages
from mindnet_pipeline.conversation.protocol import Message
from mindnet_pipeline.conversation.tokens import estimate_tokens
from mindnet_pipeline.settings import ChatOptions, PromptOptions
from mindnet_pipeline.settings.prompts import QUESTION

_TOKENS_PER_MESSAGE = 8
_SHARE_OF_QUESTION = 4
_SHARE_OF_HISTORY = 4


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of this conversation and what was answered."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent, and the passages that had room in it."""

    messages: list[Message]
    passages: list[Passage]
    question_cut: bool


def build_prompt(
    question: str,
    passages: Sequence[Passage],
    history: Sequence[Turn],
    texts: tuple[PromptOptions, str, str],
    options: ChatOptions,
) -> Prompt:
    """The messages for one question; `texts`: the prompts, the template's name and the language of the answer."""
    prompts, template, language = texts
    window = options.context_tokens - options.answer_tokens
    system = system_prompt(prompts, language)
    asked = cut(question, window // _SHARE_OF_QUESTION, language) or question[: window // _SHARE_OF_QUESTION]
    ask = prompts.template(template, language).replace(QUESTION, asked)
    earlier = _recent(history, options.history_turns, window // _SHARE_OF_HISTORY)
    head = MESSAGES[language].passages_head
    fixed = (*earlier, _message("system", system), _message("user", f"{head}\n{ask}"))
    taken = sum(_tokens(message) for message in fixed)
    fitting = fit(passages, window - taken, language)
    user = f"{head}\n\n{render_passages(fitting)}\n\n{ask}"
    messages = [_message("system", system), *earlier, _message("user", user)]
    return Prompt(messages, fitting, question_cut=asked != question)


def system_prompt(prompts: PromptOptions, language: str) -> str:
    """Who speaks, what it holds to, and the rules that hold whatever the prompts file says."""
    messages = MESSAGES[language]
    values = prompts.values.de if language == "de" else prompts.values.en
    rules = [rule.replace("{nothing}", prompts.nothing.text(language)) for rule in messages.rules]
    parts = [prompts.persona.text(language)]
    if values:
        parts.append(_listed(messages.values_head, values))
    return "\n\n".join([*parts, _listed(messages.rules_head, rules)])


def _listed(head: str, items: Sequence[str]) -> str:
    return "\n".join((head, *(f"- {item}" for item in items)))


def _recent(history: Sequence[Turn], turns: int, tokens: int) -> list[Message]:
    """The last turns that fit, oldest first, without citations: their numbers meant other passages."""
    recent: list[Message] = []
    for turn in reversed(history[-turns:] if turns else ()):
        pair = [_message("user", turn.question), _message("assistant", without_citations(turn.answer))]
        tokens -= sum(_tokens(message) for message in pair)
        if tokens < 0:
            break
        recent = [*pair, *recent]
    return recent


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _tokens(message: Message) -> int:
    return estimate_tokens(message["content"]) + _TOKENS_PER_MESSAGE
