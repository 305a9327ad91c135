"""Notes related to a given note: neighbours and possible copies, and the tags, places and links they suggest."""
