# Sourced by ./mandate and by the launcher of an unpacked archive: how java is started. POSIX sh.

# For a short life. What the JVM has to say goes to stderr: stdout belongs to the commands.
flags="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Xlog:disable -Xlog:all=error:stderr -XX:+DisplayVMOutputToStderr"

# Writes classes parsed in advance, for speed only: java $1, jar $2, into the file $3. Kept if a start with them
# works, else false: it is done without.
archive_classes() {
    rm -f "$3.new" "$3.list"
    # Completion looks at all commands. A dump at exit would be simpler, but leaves out picocli, which is compiled for
    # Java 5. A dump with SerialGC leaves out the JDK's objects.
    if "$1" $flags -XX:DumpLoadedClassList="$3.list" -jar "$2" completion bash &&
        "$1" $flags -XX:-UseSerialGC -XX:+UseG1GC -Xshare:dump -XX:SharedClassListFile="$3.list" \
            -XX:SharedArchiveFile="$3.new" -jar "$2" &&
        "$1" $flags -XX:SharedArchiveFile="$3.new" -XX:+VerifySharedSpaces -jar "$2" --help &&
        mv -f "$3.new" "$3"; then
        rm -f "$3.list"
        return 0
    fi >/dev/null 2>&1 </dev/null
    rm -f "$3.new" "$3.list"
    return 1
}

# Becomes java $1 with jar $2 and, if it exists, the class archive $3; the others are the program's arguments.
start() {
    java=$1 jar=$2 archive=$3
    shift 3
    set -f
    first=${1:-}
    # What is measured runs for minutes, like a service.
    [ "$first" != bench ] || flags="$flags -XX:TieredStopAtLevel=4"
    # Where a standard stream is closed, the JVM's next file or connection would get its number.
    if [ -d /dev/fd ]; then
        [ -e /dev/fd/0 ] || exec </dev/null
        [ -e /dev/fd/1 ] || exec >/dev/null
        [ -e /dev/fd/2 ] || exec 2>/dev/null
    fi
    set -- -jar "$jar" "$@"
    [ ! -f "$archive" ] || set -- "-XX:SharedArchiveFile=$archive" "$@"
    set -- "$java" $flags ${MANDATE_JAVA_OPTS:-} "$@"
    # Process 1 has to collect what others leave behind, which java does not do. (Bash, which both need anyway:
    # what another shell starts in the background ignores INT.)
    if [ "$$" -eq 1 ] && { [ "$first" = run ] || [ "$first" = register ]; } && command -v bash >/dev/null 2>&1; then
        exec bash -c '
            set -m
            "$@" <&0 &
            child=$!
            for signal in HUP INT TERM USR1 USR2 ALRM WINCH CONT QUIT; do
                trap "kill -s $signal $child" "$signal"
            done
            while kill -s 0 "$child" 2>/dev/null; do
                wait "$child"
            done
            wait "$child"
            exit "$?"' mandate "$@"
    fi
    exec "$@"
}
