"""Search from question to hits: asks the store, lets the pure modules decide, and makes the hits.

Nothing is cached between two questions but the model: a sync is seen by the next question.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from mindnet_pipeline.core.errors import ModelMismatchError, QueryError, StoreError
from mindnet_pipeline.core.language import detect_language
from mindnet_pipeline.core.model import Explanation, Hit
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.decision_engine.engine import DecisionEngine
from mindnet_pipeline.decision_engine.intents import NOT_ASKED, Intent
from mindnet_pipeline.retrieval import candidates as candidate_search
from mindnet_pipeline.retrieval import evidence, graph, ranking
from mindnet_pipeline.retrieval.candidates import Candidate, Question, Wording
from mindnet_pipeline.retrieval.diversity import Picked, arranged, pick
from mindnet_pipeline.retrieval.explanation import Speaker, explain
from mindnet_pipeline.retrieval.filters import ANY_DATE, NO_FILTERS, NOTE_FIELDS, Filters, conditions
from mindnet_pipeline.retrieval.matching import matched_words, question_language, searchable, spellings
from mindnet_pipeline.retrieval.phrases import PHRASES
from mindnet_pipeline.retrieval.places import line_of
from mindnet_pipeline.retrieval.reading import beginning
from mindnet_pipeline.retrieval.relevance import closeness, relevance, scale_of
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.trace import Trace, scored
from mindnet_pipeline.settings import RetrieverOptions, Settings
from mindnet_pipeline.settings.decision_engine import AUTO
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline.storage.vectors import open_store
from mindnet_pipeline.storage.vectors.protocol import SCHEMA_VERSION, Found, StoreFacts, StoreReader, Where

_QUESTION_CHARACTERS = 8000
"""A longer question is cut here: far more than any model reads."""


_PLACE_FIELDS = ("frontmatter_raw", "fulltext")
"""What of a note says on which line a hit is."""


class Retriever:
    """Answers questions from one generation of the store. Belongs to one thread; cheap to make."""

    def __init__(  # noqa: PLR0913 - what a search needs; each is opened elsewhere
        self,
        reader: StoreReader,
        embedder: Embedder,
        bm25: Bm25Encoder,
        registry: Registry,
        options: RetrieverOptions,
        language: Literal["de", "en"],
        *,
        decisions: DecisionEngine | None = None,
    ) -> None:
        self._reader = reader
        self._embedder = embedder
        self._bm25 = bm25
        self._registry = registry
        self._options = options
        self._scale = scale_of(embedder.model_key, options.scale.models)
        self._decisions = decisions
        self._speaker = Speaker(PHRASES[language], registry)

    def with_options(self, options: RetrieverOptions) -> Retriever:
        """The same store and model, weighed otherwise."""
        language = self._speaker.phrases.language
        return Retriever(
            self._reader, self._embedder, self._bm25, self._registry, options, language, decisions=self._decisions
        )

    def search(
        self,
        question: str,
        *,
        limit: int | None = None,
        filters: Filters = NO_FILTERS,
        explain: bool = False,
        intent: str = AUTO,
    ) -> SearchResult:
        """The best chunks for a question, with their reasons on `explain`.

        `intent` is the kind of question by name, `auto` to recognise it, or `off`.

        Raises:
            QueryError: the question is empty, `limit` is below 1, a filter names what no note has, or there is no such
                intent.
            StoreError: nothing was indexed yet.
        """
        if not question.strip():
            raise QueryError("The question is empty. Ask with at least one word.")
        if limit is not None and limit < 1:
            raise QueryError(f"The number of hits must be at least 1, not {limit}.")
        asked = self._understand(question)
        understood = self._intent(asked, intent)
        limit = limit or understood.shape.limit or self._options.results.limit
        ranked = self._rank(asked, self._where(filters), understood)
        max_per_note = understood.shape.max_per_note or self._options.results.max_per_note
        picked = arranged(pick(ranked, limit=limit, max_per_note=max_per_note), understood.shape.order)
        speaker = replace(self._speaker, intent=understood)
        hits = self._hits(picked, asked, speaker if explain else None)
        trace = Trace(
            filters=filters,
            limit=limit,
            language=asked.language,
            model_key=self._embedder.model_key,
            weights=ranking.part_weights(self._options),
            candidates=scored(ranked, [hit.chunk_id for hit in hits]),
        )
        return SearchResult(
            uuid.uuid4().hex,
            question,
            hits,
            self._notices(asked, hits, filters),
            trace=trace,
            intent=understood,
            understood=speaker.understood(ranked),
        )

    def _understand(self, text: str) -> Question:
        text = text.strip()[:_QUESTION_CHARACTERS]
        dense = self._embedder.embed_query(text) if self._reader.facts.dimension else None
        detected = detect_language(text, prior=self._speaker.phrases.language)
        language = question_language(text, detected, self._bm25)
        words = list(dict.fromkeys(searchable(text, language, self._bm25)))
        beginnings = tuple(beginning(word) for word in words)
        own, other = (
            self._wording(words, languages) for languages in spellings(language, self._speaker.phrases.language)
        )
        return Question(text, language, dense, own, other, beginnings, self._scale.foreign)

    def _wording(self, words: Sequence[str], languages: Sequence[str]) -> Wording:
        sparse = self._bm25.query(" ".join(words), languages)
        return Wording(sparse if sparse.indices else None, tuple(self._bm25.forms(word, languages) for word in words))

    def _intent(self, asked: Question, wanted: str) -> Intent:
        return self._decisions.choose(wanted, asked.text, asked.language, asked.dense) if self._decisions else NOT_ASKED

    def _where(self, filters: Filters) -> Where:
        notes: Sequence[Found] = list(self._reader.scan("notes", NOTE_FIELDS)) if filters.need_notes else ()
        languages = self._reader.tally("chunks", "lang") if filters.langs else {}
        if (filters.need_notes and not notes) or (filters.langs and not languages):
            raise StoreError(_NEVER_FILLED)
        return conditions(filters, notes, languages)

    def _rank(self, asked: Question, where: Where, intent: Intent) -> list[ranking.Ranked]:
        """Candidates by text, then along links from the best of them, then all with both scores, then in order."""
        options = self._options
        preferred = [name for name, factor in intent.type_boosts.items() if factor > 1]
        found = candidate_search.find(self._reader, asked, where, options.candidates, preferred)
        if not found:
            return []
        share = candidate_search.words_found(self._reader, asked, found, self._bm25)
        seeds = ranking.best_by_text(ranking.textual(found, options, share), options.candidates.seeds)
        ties = graph.boosted(self._ties(seeds, {found[key].note_id for key in seeds}), intent.edge_boosts)
        found = candidate_search.with_payloads(self._reader, self._with_neighbours(asked, where, found, ties))
        notes = {candidate.note_id for candidate in found.values()}
        counts = graph.linking_counts(self._reader, {tie.target_note for tie in ties} & notes)
        hubs = graph.Hubs(counts, options.graph.hub_damping)
        readings = candidate_search.readings(asked, found, self._bm25)
        texts = ranking.textual(found, options, share, readings)
        return ranking.rank(found, texts, ties, hubs, options, intent.type_boosts)

    def _ties(self, seeds: Sequence[str], notes: set[str]) -> list[graph.Tie]:
        """What the seeds have written, and the symmetric ties that others have written to them (but to hubs)."""
        symmetric = [relation.name for relation in self._registry.relations.values() if relation.symmetric]
        edges = [
            *graph.edges_from(self._reader, notes.union(seeds)),
            *graph.edges_to_all_but_hubs(self._reader, notes, symmetric),
        ]
        return graph.ties(edges, self._registry, self._options.graph.provenance)

    def _with_neighbours(
        self, asked: Question, where: Where, found: dict[str, Candidate], ties: Sequence[graph.Tie]
    ) -> dict[str, Candidate]:
        """The candidates with the chunks that ties lead to, all with both scores."""
        known = {candidate.note_id for candidate in found.values()}
        reached = graph.strongest_targets(ties, sources=known, known=known)[: self._options.candidates.neighbours]
        named = graph.named_chunks(self._reader, ties, known.union(reached))
        there = candidate_search.reach(self._reader, asked, where, reached, named)
        return candidate_search.complete(self._reader, asked, candidate_search.join(found, there))

    def _hits(self, picked: Sequence[Picked], asked: Question, speaker: Speaker | None) -> tuple[Hit, ...]:
        notes = {n.logical_id: n.payload for n in self._reader.get("notes", _note_ids(picked), fields=_PLACE_FIELDS)}
        reasons = self._explanations(picked, asked, speaker) if speaker else {}
        made = []
        for each in picked:
            payload, note = each.ranked.candidate.payload, notes.get(each.ranked.candidate.note_id)
            made.append(
                Hit(
                    chunk_id=each.ranked.candidate.chunk_id,
                    note_id=each.ranked.candidate.note_id,
                    title=payload["note_title"],
                    path=payload["path"],
                    type=payload["type"],
                    section_path=tuple(payload["section_path"]),
                    char_start=each.char_start,
                    char_end=each.char_end,
                    line=line_of(note["frontmatter_raw"], note["fulltext"], each.char_start) if note else 1,
                    text=each.text,
                    score=each.ranked.score.total,
                    explanation=reasons.get(each.ranked.candidate.chunk_id),
                    relevance=self._relevance(each.ranked.candidate, asked),
                )
            )
        return tuple(made)

    def _explanations(self, picked: Sequence[Picked], asked: Question, speaker: Speaker) -> dict[str, Explanation]:
        places = [
            evidence.Place(p.ranked.candidate.chunk_id, p.ranked.candidate.note_id, p.ranked.standing.contributions)
            for p in picked
        ]
        gathered = evidence.gather(self._reader, places, self._registry, self._options.graph.provenance)
        made = {}
        for each in picked:
            candidate = each.ranked.candidate
            text = "\n".join((candidate.payload["note_title"], *candidate.payload["section_path"], each.text))
            lang = candidate.payload["lang"]
            words = matched_words(asked.wording(lang).words, asked.beginnings, text, lang, self._bm25)
            made[candidate.chunk_id] = explain(
                each.ranked,
                gathered[candidate.chunk_id],
                words,
                each.also_in,
                self._closeness(candidate, asked),
                speaker,
            )
        return made

    def _closeness(self, candidate: Candidate, asked: Question) -> float | None:
        """How near in meaning on the model's scale; None without a model, 0 for what the store found too far away."""
        if asked.dense is None:
            return None
        return 0.0 if candidate.cosine is None else closeness(candidate.cosine, self._scale)

    def _relevance(self, candidate: Candidate, asked: Question) -> float:
        weights = self._options.weights
        words = asked.covered_by(candidate.payload, self._bm25) if asked.own.words else None
        near = self._closeness(candidate, asked)
        return relevance(near, words, meaning_weight=weights.semantic, words_weight=weights.lexical)

    def _notices(self, asked: Question, hits: Sequence[Hit], filters: Filters) -> tuple[str, ...]:
        phrases = self._speaker.phrases
        found = []
        if asked.own.sparse is None:
            found.append(phrases.only_stop_words)
        if not hits:
            if not self._reader.count("chunks"):
                raise StoreError(_NEVER_FILLED)
            found.append(self._why_nothing(filters))
        elif not found and max(hit.relevance for hit in hits) < self._options.results.relevance:
            found.append(phrases.nothing_relevant)
        return tuple(found)

    def _why_nothing(self, filters: Filters) -> str:
        """Why there is no hit."""
        phrases = self._speaker.phrases
        if filters.have_dates and not self._reader.count("chunks", ANY_DATE):
            return phrases.no_dates
        return phrases.no_filter_match if filters else phrases.nothing_found


_NEVER_FILLED = "Nothing is indexed yet. Run `python -m mindnet_pipeline.sync` first."


@contextmanager
def open_retriever(settings: Settings, embedder: Embedder | None = None) -> Iterator[Retriever]:
    """Open store and embedder for searching; the store is let go at the end. An embedder that is open is used.

    The model is read beside store and settings: half of a tenth of a second less for a first question.

    Raises:
        StoreError: nothing was indexed yet, or the schema is another.
        StoreLockedError: another process holds the store.
        ModelMismatchError: the index was made with another embedding model.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="load") as beside:
        embedder = embedder or open_embedder(settings.embedding, settings.data)
        loading = beside.submit(embedder.load)
        weights, decisions = settings.retriever, settings.decisions
        with open_store(settings).reader(settings.store.wait_seconds) as reader:
            check_facts(reader.facts, embedder)
            loading.result()
            yield Retriever(
                reader,
                embedder,
                Bm25Encoder(),
                settings.registry,
                weights,
                settings.language,
                decisions=DecisionEngine(decisions, embedder, settings.data),
            )


def check_facts(facts: StoreFacts, embedder: Embedder) -> None:
    """The store must have been made with this model and this schema."""
    if facts.schema_version != SCHEMA_VERSION:
        raise StoreError(
            f"The index has schema {facts.schema_version}, this version reads {SCHEMA_VERSION}. "
            "Run `python -m mindnet_pipeline.sync` to build it anew."
        )
    if (facts.model_key, facts.dimension) != (embedder.model_key, embedder.dimension):
        raise ModelMismatchError(
            f"The index was made with `{facts.model_key}`, the question would be embedded with `{embedder.model_key}`. "
            "Set embedding.engine (or MINDNET_EMBEDDER) back, or run `python -m mindnet_pipeline.sync` to embed anew."
        )


def _note_ids(picked: Sequence[Picked]) -> list[str]:
    return list(dict.fromkeys(each.ranked.candidate.note_id for each in picked))
