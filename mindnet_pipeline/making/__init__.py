"""Made-up vaults of any size, for demonstrations and benchmarks: the same seed gives the same bytes.

The order of work: `vocabulary` (word lists) → `words` (they as values) → `plan` (which notes there are and how they
link) → `prose` and `compose` (their text) → `questions` (what a search over them must find). Pure: nothing here writes
a file; the command line `make_vault` does.
"""
