"""The chat: a question and the vault → an answer with checked citations, from any server with the OpenAI protocol.

`answering.py` is the way in. Beside it each module does one thing: `passages.py` (hits as numbered, quoted passages),
`fitting.py` and `tokens.py` (as many as the model's window holds), `prompt.py` (what the model is told), `client.py`
(the server), `citations.py` (only numbers that exist), `thinking.py` (what is not the answer), `follow_ups.py`
(questions that lean on the one before), `languages.py` (German or English), `freshness.py` (configuration that may be
edited any time), `messages.py` (its own words), `rendering.py`, `terminal.py`, `session.py`. All
but `client.py`, `answering.py` and the last two is pure.
"""
