"""Notes related to a given note, such as neighbours and possible copies, and the tags, places and links to suggest."""
