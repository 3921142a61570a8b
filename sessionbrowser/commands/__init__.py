"""The commands of `sb`, a module each: `add` puts its options on a parser, `run` does it. Imported only when called."""
