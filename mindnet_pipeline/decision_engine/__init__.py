"""What kind of question was asked, and what follows from it for search and answer.

`engine.py` is the way in: a question → an `Intent` (`intents.py`). Not here: what an intent's boosts do to a score
(`retrieval/`), what is said with its template (config/prompts.yaml).
"""
