# Sourced by ./mandate and ./verify: finds a JDK and Maven, installs what is missing where it may
# (Debian and its relatives, as root), else says in one sentence what to install. POSIX sh.

readonly jdk_min=17 maven_min=3.8

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
    say "$*"
    exit 125
}

# The major version of the JDK in folder $1; nothing where there is no compiler.
jdk_major() {
    [ -x "$1/bin/javac" ] && [ -x "$1/bin/java" ] || return 0
    "$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9][0-9]*\).*/\1/p'
}

is_jdk() {
    [ "$(($(jdk_major "$1") + 0))" -ge "$jdk_min" ]
}

# Prints the folder of the first JDK that is new enough: JAVA_HOME, the PATH, the usual places.
find_jdk() {
    if [ -n "${JAVA_HOME:-}" ] && is_jdk "$JAVA_HOME"; then
        printf '%s\n' "$JAVA_HOME"
        return
    fi
    if [ -x /usr/libexec/java_home ]; then
        found=$(/usr/libexec/java_home -v "$jdk_min+" 2>/dev/null) || found=
        if [ -n "$found" ] && is_jdk "$found"; then
            printf '%s\n' "$found"
            return
        fi
    fi
    javac=$(command -v javac) || javac=
    [ -z "$javac" ] || javac=$(readlink -f "$javac")
    for home in "${javac%/bin/javac}" /usr/lib/jvm/*; do
        if [ -n "$home" ] && is_jdk "$home"; then
            printf '%s\n' "$home"
            return
        fi
    done
}

# True where Maven is on the PATH and new enough.
has_maven() {
    command -v mvn >/dev/null 2>&1 || return 1
    version=$(cd / && mvn -B --version 2>/dev/null | sed -n 's/.*Apache Maven \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    [ -n "$version" ] || return 1
    major=${version% *} minor=${version#* }
    [ "$major" -gt "${maven_min%.*}" ] ||
        { [ "$major" -eq "${maven_min%.*}" ] && [ "$minor" -ge "${maven_min#*.}" ]; }
}

# What a build would install first, for the sentence that says so; nothing where all is there.
missing() {
    may_install || return 0
    [ -n "$(find_jdk)" ] || printf '%s' ", after installing the Debian package openjdk-17-jdk-headless"
    has_maven || printf '%s' ", after installing the Debian package maven"
}

may_install() {
    [ "$(id -u)" -eq 0 ] && [ -f /etc/debian_version ] && command -v apt-get >/dev/null 2>&1
}

# Installs Debian packages: $1 is what they are for, the others are alternatives, best first.
install_first() {
    what=$1
    shift
    say "$what is missing: installing the Debian package $1"
    output=$(mktemp)
    (
        export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update
        for package in "$@"; do
            apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$package" && exit 0
        done
        exit 1
    ) >"$output" 2>&1 </dev/null || {
        tail -n 10 "$output" >&2
        rm -f "$output"
        die "$what could not be installed: please install $1 and start again."
    }
    rm -f "$output"
}

# Makes JAVA_HOME a JDK that is new enough, or ends with one sentence.
need_jdk() {
    home=$(find_jdk)
    if [ -z "$home" ]; then
        may_install ||
            die "a JDK $jdk_min or newer is needed (with javac, not only java): please install one, on Debian: apt install openjdk-17-jdk-headless."
        install_first "a JDK $jdk_min or newer" openjdk-17-jdk-headless default-jdk-headless
        home=$(find_jdk)
        [ -n "$home" ] || die "the Debian package brought no JDK $jdk_min or newer: please install one and set JAVA_HOME."
    fi
    JAVA_HOME=$home
    export JAVA_HOME
}

# Call after need_jdk: Maven itself runs on the JDK found there.
need_maven() {
    if ! has_maven; then
        may_install ||
            die "Maven $maven_min or newer is needed: please install it, on Debian: apt install maven."
        install_first "Maven $maven_min or newer" maven
        has_maven || die "the Debian package brought no Maven $maven_min or newer: please install one and put it on the PATH."
    fi
}
