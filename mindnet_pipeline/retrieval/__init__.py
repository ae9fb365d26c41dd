"""Search: a question and the store → hits with their reasons.

`retriever.py` is the way in. Beside it each module does one thing on plain values: `filters.py` (what to leave out),
`candidates.py` (what could answer), `graph.py` (what links say of them), `scoring.py` (how much that is worth),
`diversity.py` (what repeats), `explanation.py` (why), `rendering.py` (how it reads in Markdown).
"""
