"""From a question to its intent: by words, else by nearness to the example questions, else the neutral one."""

from __future__ import annotations

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.decision_engine.example_vectors import ExampleVectors
from mindnet_pipeline.decision_engine.examples import Example, Near, Vector, nearest_example
from mindnet_pipeline.decision_engine.intents import Intent, RecognisedBy, Shape
from mindnet_pipeline.decision_engine.patterns import Patterns
from mindnet_pipeline.settings import DecisionOptions
from mindnet_pipeline.settings.decision_engine import AUTO, OFF
from mindnet_pipeline.settings.reading import nearest
from mindnet_pipeline.storage.embedders.protocol import Embedder


class DecisionEngine:
    """Understands questions by one configuration. Cheap to make: examples are embedded when first needed.

    `data` is the data folder, where the examples' vectors are kept; empty to keep nothing.
    """

    def __init__(self, options: DecisionOptions, embedder: Embedder, data: str = "") -> None:
        self._options = options
        self._embedder = embedder
        self._patterns = Patterns(options)
        self._vectors = ExampleVectors(embedder, data)
        self._examples = [
            Example(name, text)
            for name, intent in options.intents.items()
            for texts in intent.examples.values()
            for text in texts
        ]

    def understand(self, question: str, language: str = "", vector: Vector | None = None) -> Intent:
        """What kind of question this is.

        `language` is the question's own, as far as it is known; `vector` its vector, if there is one already.
        """
        if not self._options.enabled:
            return self._neutral("off")
        if match := self._patterns.match(question, language):
            return self._intent(match.intent, "pattern", 1 / match.readings, match.words)
        near = self._near(question, vector)
        if near is None:
            return self._neutral("default")
        return self._intent(near.example.intent, "example", near.similarity, near.example.text)

    def choose(self, wanted: str, question: str, language: str = "", vector: Vector | None = None) -> Intent:
        """The intent for `auto`, `off` or an intent's name.

        Raises:
            QueryError: there is no such intent; the message names the nearest.
        """
        if wanted == AUTO:
            return self.understand(question, language, vector)
        if wanted == OFF:
            return self._neutral("off")
        if wanted not in self._options.intents:
            raise QueryError(f"The intent {nearest(wanted, [*self._options.intents, AUTO, OFF])}")
        return self._intent(wanted, "forced", 1.0)

    def _near(self, question: str, vector: Vector | None) -> Near | None:
        """The nearest example, if it is near enough and clearly nearer than those of other intents."""
        bounds = self._options.recognition
        if not bounds.examples or not self._examples or not self._embedder.dimension:
            return None
        vector = self._embedder.embed_query(question) if vector is None else vector
        near = nearest_example(self._examples, self._vectors.of([each.text for each in self._examples]), vector)
        return near if near and near.similarity >= bounds.similarity and near.lead >= bounds.margin else None

    def _neutral(self, recognised_by: RecognisedBy) -> Intent:
        name = self._options.default
        if recognised_by != "off":
            return self._intent(name, recognised_by, 0.0)
        return Intent(name, dict(self._options.intents[name].label), recognised_by="off")

    def _intent(self, name: str, recognised_by: RecognisedBy, confidence: float, evidence: str = "") -> Intent:
        intent = self._options.intents[name]
        return Intent(
            name=name,
            labels=dict(intent.label),
            type_boosts=dict(intent.type_boosts),
            edge_boosts=dict(intent.edge_boosts),
            shape=Shape(intent.shape.limit, intent.shape.max_per_note, intent.shape.order),
            template=intent.template,
            recognised_by=recognised_by,
            confidence=confidence,
            evidence=evidence,
        )
