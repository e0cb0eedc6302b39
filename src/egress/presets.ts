// The named policies. `packages` is what building software usually needs: registries, and the well-known git hosts. Domains
// stand with a wildcard, because registries serve their files from names beside the one that is configured.

export const PRESETS = ["none", "packages", "internet"] as const;
export type Preset = (typeof PRESETS)[number];

/** What `preset` reaches, `internet` apart: that is every name. */
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
