// The named policies. `packages` is what building software usually needs: package registries and the well-known git hosts.
// Domains carry a wildcard because registries serve files from other subdomains than the one that a client is configured
// with.

export const PRESETS = ["none", "packages", "internet"] as const;
export type Preset = (typeof PRESETS)[number];

/** The hosts of each preset; `internet` has no list because it covers every name. */
export const PRESET_HOSTS: Record<Exclude<Preset, "internet">, readonly string[]> = {
  none: [],
  packages: [
    // JavaScript
    ...["*.npmjs.org", "*.npmjs.com", "*.yarnpkg.com", "*.jsr.io", "nodejs.org"],
    // Python
    ...["*.pypi.org", "*.pythonhosted.org", "*.pypa.io", "*.python.org"],
    // Rust
    ...["*.crates.io", "*.rust-lang.org"],
    // Go
    ...["*.golang.org", "*.go.dev", "gopkg.in"],
    // Ruby
    "*.rubygems.org",
    // Debian
    "*.debian.org",
    // Git, and the files and packages that those hosts serve
    ...["*.github.com", "*.githubusercontent.com", "*.ghcr.io"],
    ...["*.gitlab.com", "*.bitbucket.org", "*.codeberg.org", "*.sr.ht"],
  ],
};
