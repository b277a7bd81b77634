
# The names of elections in store $2 (or the one configured) that begin with $3; nothing if it is away.
function _mandate_elections() {
  (
    if [ -n "$2" ]; then
      # Not as an argument: it may hold a password.
      export MANDATE_STORE="$2" MANDATE_STORE_FILE=
    fi
    export MANDATE_DEV=
    if type timeout &>/dev/null; then
      timeout -s KILL "${MANDATE_COMPLETION_TIMEOUT:-1}" "$1" completion --elections="$3"
    else
      "$1" completion --elections="$3"
    fi
  ) 2>/dev/null </dev/null
}

# What picocli completes, and the names of elections where one is expected.
function _mandate() {
  local rest=${COMP_LINE:0:$COMP_POINT} word previous= program= command= store= others=
  # Words as they were typed: bash also splits them at ':' and '='.
  while [[ "$rest" == *[[:blank:]]* ]]; do
    word=${rest%%[[:blank:]]*}
    rest=${rest#*[[:blank:]]}
    if [ -z "$word" ]; then continue; fi
    if [ -z "$program" ]; then
      program=$word
    elif [ -z "$command" ] && [[ "$word" != -* ]]; then
      command=$word
    elif [ "$word" = -- ]; then
      others=yes
    elif [ "$previous" = --store ]; then
      store=$word
    elif [[ "$word" == --store=* ]]; then
      store=${word#--store=}
    fi
    previous=$word
  done
  if [ -n "$others" ]; then
    # The command to run, which is completed like any file.
    COMPREPLY=()
    return
  fi

  # Options whose value is an election, other options with a value, and whether operands are elections.
  local named= valued= operands=
  case $command in
@ELECTIONS@
  esac
  local before=
  if [[ "$rest" == --*=* && " $named " == *" ${rest%%=*} "* ]]; then
    before=${rest%%=*}=
  elif [[ -z "$previous" || " $named " != *" $previous "* ]]; then
    if [[ -z "$operands" || "$rest" == -* || " $valued " == *" $previous "* ]]; then
      _complete_mandate "$@"
      return
    fi
  fi

  local start=${rest#"$before"} cut= quote= name candidate
  if [ -n "${COMP_WORDBREAKS-}" ]; then
    # Bash replaces only what follows the last of these.
    cut=${rest%"${rest##*[:=]}"}
  fi
  case $start in
    \'* | \"*)
      quote=${start:0:1}
      start=${start#?}
      ;;
  esac
  store=${store#[\'\"]}
  COMPREPLY=()
  if type compopt &>/dev/null; then compopt +o default; fi
  while IFS= read -r name; do
    # Whoever creates an election chooses its name: none may end the quotation, or be taken for an option.
    case $quote:$name in
      \':*\'* | \":*[\"\$\`\\!]*) continue ;;
    esac
    if [[ -z "$before" && "$name" == -* ]]; then continue; fi
    candidate=$name
    if [ -z "$quote" ]; then printf -v candidate %q "$name"; fi
    candidate=$before$candidate
    COMPREPLY+=("${candidate#"$cut"}")
  done < <(_mandate_elections "$program" "${store%[\'\"]}" "$start")
}

complete -F _mandate -o default mandate
