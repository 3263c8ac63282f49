// The source of the precompiled headers' own targets.
