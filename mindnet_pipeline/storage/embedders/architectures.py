"""The families of encoders whose graph is built here, and what each calls its settings and its tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Architecture:
    """The names of one family; `first_position` of a text in the table.

    RoBERTa keeps the first two rows of positions for padding. `prefix` stands before all names where the weights were
    saved with a head.
    """

    prefix: str
    first_position: int = 0
    hidden: str = "hidden_size"
    layers: str = "num_hidden_layers"
    heads: str = "num_attention_heads"
    activation: str = "hidden_act"
    layer: str = "encoder.layer"
    attention: tuple[str, str, str, str] = (
        "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    )  # fmt: skip
    feed_forward: tuple[str, str] = ("intermediate.dense", "output.dense")
    norms: tuple[str, str] = ("attention.output.LayerNorm", "output.LayerNorm")


ARCHITECTURES: Mapping[str, Architecture] = {
    "bert": Architecture("bert."),
    "roberta": Architecture("roberta.", first_position=2),
    "xlm-roberta": Architecture("roberta.", first_position=2),
    "camembert": Architecture("roberta.", first_position=2),
    "distilbert": Architecture(
        "distilbert.",
        hidden="dim",
        layers="n_layers",
        heads="n_heads",
        activation="activation",
        layer="transformer.layer",
        attention=("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"),
        feed_forward=("ffn.lin1", "ffn.lin2"),
        norms=("sa_layer_norm", "output_layer_norm"),
    ),
}
