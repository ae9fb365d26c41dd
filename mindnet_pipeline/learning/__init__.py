"""Learning from what people say of their hits: a log of questions and ratings, and weights that follow from it.

`feedback_log.py` is the log's way in and out (`situations.py` and `labels.py` are its records). From both `pairs.py`
makes training pairs, `fitting.py` and `holdout.py` learn weights from these and judge them, `tuning.py` puts that
together, `proposals.py` keeps what came of it, and `adoption.py` writes weights into config/retriever.yaml and takes
them back. Nothing here changes a weight by itself, and nothing leaves the machine.
"""
