"""How good search is: golden questions, measures, intervals. `mindnet_pipeline.evaluate` is the way in."""
