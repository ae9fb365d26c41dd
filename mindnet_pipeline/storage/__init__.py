"""The world: vault files, Parquet tables, the manifest, vector stores, embedders. Uses core, never the reverse."""
