class Nudge < Formula
  desc "Memory and guard rails for coding agents"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@ARCHIVES@/nudge-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "@ARCHIVES@/nudge-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@ARCHIVES@/nudge-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@ARCHIVES@/nudge-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "nudge"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/nudge.bash" => "nudge"
    zsh_completion.install "completions/_nudge"
    fish_completion.install "completions/nudge.fish"
  end

  def caveats
    <<~TEXT
      Connect your coding agents with `nudge setup`.
      Before you remove nudge, run `nudge uninstall`: it takes its entries out of their files.
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/nudge --version")
  end
end
