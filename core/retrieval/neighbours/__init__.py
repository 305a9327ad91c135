"""Find related notes by meaning, words, links and tags, find duplicate notes, and lay notes out on a map."""
