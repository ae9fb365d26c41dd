"""Any signals and any weights that the score formula may meet."""

from __future__ import annotations

from hypothesis import strategies as st

from mindnet_pipeline.retrieval.scoring import PartWeights, Signals

unit = st.floats(0, 1)
any_signals = st.builds(
    Signals,
    semantic=unit,
    lexical=unit,
    edge=unit,
    centrality=unit,
    retriever_weight=st.floats(0, 2),
    link_list=st.booleans(),
    intent=st.floats(-1, 1),
)
any_weights = st.builds(PartWeights, *[st.floats(0, 3)] * 5, graph_cap=unit, link_list_damping=unit, intent=unit)
