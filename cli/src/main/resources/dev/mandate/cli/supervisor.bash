# Owns the command of `mandate run`, and kills it when the lead it runs under is over, whether or not
# the command line still lives. `mandate register` starts it with a lead that does not end. Started as: setsid bash -p supervisor FOLDER GRACE, in FOLDER
#   command  what to run, as strings that each end in NUL: NAME=VALUE for the environment, all of them MANDATE_...,
#            then an empty one, then the command and its arguments
#   control  a named pipe; the command line holds its only writing end. Lines, all times in milliseconds:
#              lead TERM-WALL TERM-UP KILL-WALL KILL-UP   TERM and KILL are due then, whichever clock
#              stop KILL-WALL KILL-UP                     TERM is due now, and nothing prolongs any more
#              signal NAME                                is sent to the command's process group; one that comes
#                                                         earlier is kept until there is one
#              child GROUP                                from the owner: the command's process group
#            WALL counts from 1970, UP from the boot of the machine with suspensions (/proc/uptime).
#            End of file means that the command line is dead: TERM now, KILL after GRACE milliseconds.
#            Signals to this script change nothing: where a service manager sends TERM to all of them, the
#            command has got its own, and the command line, which got one, too, says when to kill.
#   state    empty at first; one byte here when the command is about to be started, another one when it, and
#            all it left behind, has ended
# All is opened before the command is started: the folder may be cleaned away while it runs.
#
# Ends with the command's exit code; where the command was not started, with 124 if it was too late for it,
# and with 125 if something is missing, which is said on standard error.
#
# Two processes, so that either may be killed: the owner waits for the command and ends with its exit
# code; the timer, which is started first, reads the pipe and kills. Where one ends the other kills
# everything at once. What is killed is the command's process group, then all that is in this session.

# Bash obeys variables of the environment, which belongs to the command: FUNCNEST=1 would end every
# function that calls another. The command gets them back, see below.
set +o posix
unset -v FUNCNEST POSIXLY_CORRECT TMOUT CHILD_MAX BASH_COMPAT

folder=$1 grace=$2
owner=$$

fail() {
    printf 'mandate: %s\n' "$1" >&2
    exit 125
}

((BASH_VERSINFO[0] > 4 || BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4)) ||
    fail "bash 4.4 or newer is needed on the PATH; this is $BASH_VERSION"

# All signals that can be caught and would end or stop this script. Handlers, because what is ignored here
# would be ignored by the command. (Not all systems have all of them.)
signals='HUP INT QUIT USR1 USR2 ALRM TERM STKFLT TSTP TTIN TTOU XCPU XFSZ VTALRM PROF IO PWR'
outlive() {
    trap "$1" $signals {34..64} 2>/dev/null
}
outlive :

# Milliseconds that no machine has run for.
never=9999999999999

# Whether this is bash 5.
modern=0
((BASH_VERSINFO[0] < 5)) || [[ -z ${EPOCHREALTIME-} ]] || modern=1

# Sets now_wall and now_up. No locale is asked, and no process started. A time since boot that can't be read,
# for want of a descriptor, is taken for late: early is safe.
if ((modern)); then
    now() {
        now_wall=$((${EPOCHREALTIME//[!0-9]/} / 1000))
        local up _
        now_up=$never
        ! read -r up _ </proc/uptime || now_up=$((10#${up/./} * 10))
    }
else
    # This bash tells whole seconds of the wall clock. Where in the second it is follows from the time since
    # boot and from how far apart the two clocks were when the term was told, rounded up: early is safe.
    now() {
        local up second _
        now_up=$never
        ! read -r up _ </proc/uptime || now_up=$((10#${up/./} * 10))
        printf -v second '%(%s)T' -1
        now_wall=$((now_up + 10 + term_wall - term_up))
        ((now_wall >= second * 1000)) || now_wall=$((second * 1000))
        ((now_wall <= second * 1000 + 999)) || now_wall=$((second * 1000 + 999))
    }
fi

# Whether it is time to kill.
overdue() {
    now
    ((now_wall >= kill_wall || now_up >= kill_up))
}

# Whether threads of the zombie $1 go on after the first, as far as can be told. (The number of its threads would
# not do: it counts dead ones while a debugger holds them.)
has_threads() {
    local file text
    for file in "/proc/$1/task/"*/stat; do
        text=
        IFS= read -r -d '' text <"$file"
        [[ -n $text || ! -r $file ]] || return 0
        set -- ${text##*) }
        [[ ${1-Z} == [ZX] ]] || return 0
    done
    return 1
}

# Whether process $1 is somebody else in this session, and alive; sets group to the process group it is
# in. Zombies are not alive, unless threads of theirs go on after the first. Sets unknown where that can't be
# told, for want of a descriptor for instance: what can be asked for without one is there.
belongs() {
    local text=
    IFS= read -r -d '' text <"/proc/$1/stat"
    [[ -n $text || ! -r /proc/$1/stat ]] || unknown=1
    # After the name, which may hold anything: state, parent, group, session.
    set -- "$1" ${text##*) }
    group=${4-}
    [[ ${5-} == "$owner" && $1 != "$owner" && $1 != "$timer" && $1 != "$BASHPID" ]] &&
        { [[ $2 != [ZX] ]] || has_threads "$1"; }
}

# Whether process $1 is a child of the owner, and alive, or may be: without a descriptor zombies can't be told.
lives() {
    local text=
    IFS= read -r -d '' text <"/proc/$1/stat"
    # Without `return`, which in a handler gives the status from before it.
    if [[ -z $text ]]; then
        [[ -d /proc/$1 ]] || kill -0 "$1"
    else
        set -- "$1" ${text##*) }
        [[ ${3-} == "$owner" ]] && { [[ $2 != [ZX] ]] || has_threads "$1"; }
    fi
}

# Sets members: who belongs to this session, and outside: those of them who are not in the command's
# process group. Some 0.2 ms for every process of the machine. `members kill` kills whom it finds as it
# finds them; `members ask` gives up, and fails, when it is time to kill. Fails, too, where it can't be told
# whether that is everybody.
members() {
    local process looked=0 unknown=0
    members=() outside=()
    for process in /proc/[0-9]*; do
        # The pattern itself: /proc could not be listed.
        [[ $process != *'*' ]] || return 1
        if [[ ${1-} == ask ]] && ((looked++ % 8 == 0)) && overdue; then
            return 1
        fi
        belongs "${process#/proc/}" || continue
        members+=("${process#/proc/}")
        [[ $group == "$child" ]] || outside+=("${process#/proc/}")
        [[ ${1-} != kill ]] || kill -s KILL "${process#/proc/}"
    done
    return "$unknown"
}

# Whether the number of the command's process group is still its own: once all of the group have ended, it may
# be that of a stranger, who is neither a child of the owner nor in this session. Where nobody can be seen,
# others may be left in the group.
owns_group() {
    local text=
    IFS= read -r -d '' text <"/proc/$child/stat"
    set -- ${text##*) }
    [[ -z $text || ${2-} == "$owner" || ${4-} == "$owner" ]]
}

# The command's process group, in one go: forks cannot escape that, and nobody has to be looked for. Kept,
# once each, while that is not known.
signal_group() {
    if ((child > 0)); then
        ! owns_group || kill -s "$1" -- "-$child"
    elif [[ " $early " != *" $1 "* ]]; then
        early+=" $1"
    fi
}

# Sleeps for $1 seconds without a process: nobody ever writes to fd 4.
pause() {
    read -r -t "$1" -u 4
}

# Kills everything: first the group, then who was seen outside it and is still the same, then again and
# again whoever is found, until nothing is left that could fork. Where only the same are left, whom this user
# may not kill for instance, it looks ever more rarely, down to once a second.
kill_all() {
    local process before= delay=5 seconds
    signal_group KILL
    for process in "${outside[@]}"; do
        ! belongs "$process" || kill -s KILL "$process"
    done
    while :; do
        if ! members kill; then
            delay=20
        elif ((${#members[@]} == 0)); then
            return
        elif [[ ${members[*]} == "$before" ]]; then
            delay=$((delay < 500 ? delay * 2 : 1000))
        else
            delay=5
        fi
        before=${members[*]}
        signal_group KILL
        printf -v seconds '%d.%03d' "$((delay / 1000))" "$((delay % 1000))"
        pause "$seconds"
    done
}

# TERM to all, and CONT: a stopped process would not see it. The group first, because looking for the
# others may take longer than the grace.
begin_stop() {
    stopping=1
    now
    ((now_wall + grace >= kill_wall)) || kill_wall=$((now_wall + grace))
    ((now_up + grace >= kill_up)) || kill_up=$((now_up + grace))
    signal_group TERM
    signal_group CONT
    # Before the group is known, whoever is there belongs to it.
    ((child > 0)) || return
    members ask
    if ((${#outside[@]} > 0)); then
        kill -s TERM "${outside[@]}"
        kill -s CONT "${outside[@]}"
    fi
}

obey() {
    local name
    set -- $1
    case $1 in
        lead)
            if ((!stopping)); then
                term_wall=$2 term_up=$3 kill_wall=$4 kill_up=$5
            fi
            ;;
        stop)
            kill_wall=$((kill_wall < $2 ? kill_wall : $2)) kill_up=$((kill_up < $3 ? kill_up : $3))
            ((stopping)) || begin_stop
            ;;
        signal)
            signal_group "$2"
            ;;
        child)
            child=$2
            for name in $early; do
                signal_group "$name"
            done
            ;;
    esac
}

# The timer. Looks at the clocks at least five times a second: no timer of the kernel's counts the time
# a machine was suspended.
watch_over() {
    local part='' line left stopping=0
    while :; do
        if overdue || ! kill -0 "$owner"; then
            kill_all
            return
        fi
        if ((!stopping)) && ((now_wall >= term_wall || now_up >= term_up)); then
            begin_stop
        fi
        if ((stopping)); then
            left=$((kill_wall - now_wall < kill_up - now_up ? kill_wall - now_wall : kill_up - now_up))
        else
            left=$((term_wall - now_wall < term_up - now_up ? term_wall - now_wall : term_up - now_up))
        fi
        left=$((left < 1 ? 1 : left > 200 ? 200 : left))
        printf -v left '0.%03d' "$left"
        if IFS= read -r -t "$left" -u 3 line; then
            obey "$part$line"
            part=
        elif (($? > 128)); then
            part+=$line
        else
            # The command line is dead. From here on fd 3 never ends.
            exec 3<&4
            ((stopping)) || begin_stop
            # Not waited for: a disk may hang. It is in this session, and ignores a TERM to that, as this does.
            rm -rf -- "$folder" &
        fi
    done
}

# What the command left behind when it ended. Its group may be gone, and the number be another's.
end_rest() {
    local until
    ! members || ((${#members[@]} > 0)) || return
    if ((${#members[@]} > 0)); then
        kill -s TERM "${members[@]}"
        kill -s CONT "${members[@]}"
    fi
    now
    until=$((now_up < never ? now_up + grace : 0))
    until members && ((${#members[@]} == 0)); do
        now
        if ((now_up >= until)); then
            kill_all
            return
        fi
        pause 0.01
    done
}

mapfile -d '' -t MANDATE_COMMAND <"$folder/command" || fail "the supervisor could not read $folder/command"
# Opened for reading and writing first: opening for reading alone waits for a writer, who may be dead.
exec 9<>"$folder/control" 3<"$folder/control" 9>&- || fail "the supervisor could not open $folder/control"
exec 8>"$folder/state" || fail "the supervisor could not open $folder/state"
IFS= read -r -t 10 -u 3 line && [[ $line == lead\ * ]] || exit 124
child=0 timer=0 stopping=0 early= members=() outside=()
obey "$line"
# What was said while this script started: that may have taken longer than the first term. (At the end of file
# there is something to read, too: the command line is dead, and removes nothing.)
while read -r -t 0 -u 3; do
    if ! IFS= read -r -t 1 -u 3 line; then
        rm -rf -- "$folder"
        exit 124
    fi
    obey "$line"
done
now
((!stopping && now_wall < term_wall && now_up < term_up)) || exit 124
IFS= read -r -d '' text </proc/self/stat
set -- ${text##*) }
[[ $3 == "$$" && $4 == "$$" ]] || fail "setsid (util-linux) is needed to start a session"

exec 4<> <(:)
wait "$!"
exec 5<&0 6>&1 7>&2 </dev/null >/dev/null 2>/dev/null
# Every job its own process group.
set -m
# The timer begins with all of them ignored: a handler is set too late for a signal that comes at once.
outlive ''
(watch_over) 5<&- 6>&- 7>&- 8>&- &
timer=$!
outlive :
printf s >&8
(
    # The environment as it was at the start, where a variable of this script, or one unset above, has
    # the name of one there. Only MANDATE_ names are never there.
    while IFS= read -r -d '' MANDATE_ENTRY; do
        MANDATE_NAME=${MANDATE_ENTRY%%=*}
        case $MANDATE_NAME in
            '' | [0-9]* | *[!a-zA-Z0-9_]* | UID | EUID | PPID | SHELLOPTS | BASHOPTS | BASH_VERSINFO) ;;
            *) [[ -v $MANDATE_NAME && ${!MANDATE_NAME} == "${MANDATE_ENTRY#*=}" ]] || export "$MANDATE_ENTRY" ;;
        esac
    done </proc/self/environ 2>/dev/null
    MANDATE_AT=0
    while [[ -n ${MANDATE_COMMAND[MANDATE_AT]} ]]; do
        export "${MANDATE_COMMAND[MANDATE_AT]}"
        ((++MANDATE_AT))
    done
    exec -- "${MANDATE_COMMAND[@]:MANDATE_AT+1}"
) <&5 >&6 2>&7 3<&- 4<&- 5<&- 6>&- 7>&- 8>&- &
child=$!
# By the descriptor, which outlives the name.
printf 'child %s\n' "$child" >/proc/self/fd/3
exec 5<&- 6>&- 7>&-
# From here on a stopped command is not reported as an end.
set +m
# Nothing is started any more, so all signals can be ignored. A handler that runs between the kernel's report
# of the command's end and bash's note of it would make bash lose the exit code.
outlive ''

# Waits for the command's end, and returns early where it is stopped. With job control: without it `wait` sets
# a handler of its own for INT for a moment, and an INT that comes then keeps it spinning. In a function: a
# stop by TSTP makes bash leave all loops of the function it is in.
hold() {
    set -m
    wait "$child"
    ! lives "$child" || pause 0.05
    set +m
}

# Bash 5 runs this while it waits, too; 4.4 only afterwards, and asked by `kill -0` it takes the dead for
# living. (`wait -n` for both forgets ends it has seen before, and `wait -f` was seen to spin.)
trap 'lives "$timer" || kill_all' CHLD
lives "$timer" || kill_all
while lives "$child"; do
    if ((modern)); then
        hold
    else
        pause 0.05
        lives "$timer" || kill_all
    fi
done
end_rest
trap - CHLD
set -m
kill -s KILL "$timer"
wait "$timer"
wait "$child"
code=$?
printf e >&8
exit "$code"
