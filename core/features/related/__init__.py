"""Notes related to a note: neighbours and possible copies, and the tags, places and links that they suggest."""
