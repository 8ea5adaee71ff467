#!/bin/sh
# Installs nudge from release archives: finds the one for this machine, verifies its checksum, and puts the program into
# a folder of yours.
#
#   NUDGE_ARCHIVES     folder or https address with the archives and SHA256SUMS (a release fills in its own)
#   NUDGE_INSTALL_DIR  where the program goes (default ~/.local/bin)
set -eu

archives=${NUDGE_ARCHIVES:-@ARCHIVES@}
folder=${NUDGE_INSTALL_DIR:-$HOME/.local/bin}

fail() {
    echo "error: $1" >&2
    [ $# -lt 2 ] || echo "hint: $2" >&2
    exit 1
}

# Copies a file of the release into the folder `box`.
get() {
    case "$archives" in
    https://*)
        if command -v curl >/dev/null 2>&1; then
            curl --proto '=https' --tlsv1.2 -fsSL "$archives/$1" -o "$box/$1"
        elif command -v wget >/dev/null 2>&1; then
            wget -q --https-only "$archives/$1" -O "$box/$1"
        else
            fail "neither curl nor wget is installed"
        fi || fail "$archives/$1 cannot be fetched"
        ;;
    /*) cp "$archives/$1" "$box/$1" 2>/dev/null || fail "$archives/$1 cannot be read" ;;
    *) fail "NUDGE_ARCHIVES is \`$archives\`" "set it to an absolute folder or an https address" ;;
    esac
}

sum() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum "$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 "$1" | cut -d ' ' -f 1
    else
        fail "neither sha256sum nor shasum is installed, so the archive cannot be verified"
    fi
}

machine=$(uname -m)
case "$machine" in
arm64) machine=aarch64 ;;
amd64) machine=x86_64 ;;
esac
case "$(uname -s)" in
# The static one starts fastest.
Linux) targets="$machine-unknown-linux-musl $machine-unknown-linux-gnu" ;;
Darwin) targets="$machine-apple-darwin" ;;
*) fail "there are no archives for $(uname -s)" "build it: cargo install --locked --profile dist --path ." ;;
esac

box=$(mktemp -d)
new=""
trap 'rm -rf "$box" ${new:+"$new"}' EXIT
trap 'exit 1' HUP INT TERM
get SHA256SUMS
archive=""
for target in $targets; do
    archive=$(sed -n "s/^[0-9a-f]\{64\}  *\*\{0,1\}\(nudge-[0-9A-Za-z.+-]*-$target\.tar\.gz\)\$/\1/p" "$box/SHA256SUMS" | head -n 1)
    [ -z "$archive" ] || break
done
[ -n "$archive" ] || fail "there is no archive for $machine $(uname -s)" "build it: cargo install --locked --profile dist --path ."
get "$archive"
expected=$(grep -F "$archive" "$box/SHA256SUMS" | head -n 1 | cut -d ' ' -f 1)
actual=$(sum "$box/$archive")
[ "$expected" = "$actual" ] || fail "the checksum of $archive is wrong" "nothing was installed; fetch the release again"

tar -xzf "$box/$archive" -C "$box" "${archive%.tar.gz}/nudge"
mkdir -p "$folder"
# A hook may start the program at any moment, so it is replaced in one step.
new="$folder/.nudge-new-$$"
cp "$box/${archive%.tar.gz}/nudge" "$new"
chmod 755 "$new"
"$new" --version >/dev/null || fail "the program in $archive does not run here"
mv -f "$new" "$folder/nudge"
new=""
echo "installed $("$folder/nudge" --version) in $folder"
case ":$PATH:" in
*":$folder:"*) echo "next: nudge setup" ;;
*)
    echo "next: add $folder to your PATH, then run \`nudge setup\`"
    ;;
esac
