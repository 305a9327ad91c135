"""The parsers of logs that Tessera has, one format each."""
