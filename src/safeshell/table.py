"""Compiled from recipes/shell.toml by safeshell.generate."""

from __future__ import annotations

from typing import Any, Final

TABLE: Final[dict[str, Any]] = {'version': 1,
 'limits': {'timeout_s': 30,
            'max_timeout_s': 300,
            'stdout_bytes': 1000000,
            'stderr_bytes': 100000,
            'drain_bytes': 1073741824,
            'command_bytes': 65536,
            'words': 2048,
            'stages': 64,
            'brace_results': 256,
            'glob_results': 10000,
            'glob_entries': 50000,
            'memory_bytes': 1073741824,
            'address_bytes': 8589934592,
            'cpu_s': 120,
            'open_files': 256},
 'workspace': {'read_extra': [],
               'secret_names': ['.env',
                                '.env.*',
                                '!.env.example',
                                '!.env.sample',
                                '!.env.template',
                                '!.env.dist',
                                '*.pem',
                                '*.key',
                                '*.p12',
                                '*.pfx',
                                '*.kdbx',
                                'id_rsa*',
                                'id_dsa*',
                                'id_ecdsa*',
                                'id_ed25519*',
                                '!*.pub',
                                '.netrc',
                                '_netrc',
                                '.pgpass',
                                '.my.cnf',
                                '.npmrc',
                                '.pypirc',
                                '.git-credentials',
                                '.htpasswd',
                                '.ssh',
                                '.aws',
                                '.gnupg',
                                '.kube',
                                '.docker']},
 'environment': {'path': '/usr/local/bin:/usr/bin:/bin',
                 'set': {'LC_ALL': 'C.UTF-8',
                         'TERM': 'dumb',
                         'HOME': '/nonexistent',
                         'PAGER': 'cat',
                         'NO_COLOR': '1'},
                 'pass': ['TZ'],
                 'assign': {'LC_[A-Z]+': '[A-Za-z0-9_.@-]*',
                            'LANG': '[A-Za-z0-9_.@-]*',
                            'TZ': '[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z_+-]+){0,2}',
                            'NO_COLOR': '1?',
                            'COLUMNS': '[0-9]{1,4}',
                            'PAGER': 'cat',
                            'GIT_PAGER': 'cat'}},
 'audit': {'path': ''},
 'builtins': {'names': ['cd',
                        'pwd',
                        'true',
                        'false',
                        'echo',
                        'printf',
                        'test',
                        '[',
                        'which',
                        'command',
                        'basename',
                        'dirname']},
 'advice': {'xargs': 'xargs would run programs: use rg -l PATTERN, grep -rl '
                     'PATTERN ., find alone, or name the files: wc -l src/*.py',
            'awk': 'use cut -d, -f2, sort, uniq -c, or jq for JSON',
            'gawk': 'use cut -d, -f2, sort, uniq -c, or jq for JSON',
            'less': "use head -n 100 FILE or sed -n '100,200p' FILE",
            'more': "use head -n 100 FILE or sed -n '100,200p' FILE",
            'man': 'use COMMAND --help',
            'egrep': 'use grep -E',
            'fgrep': 'use grep -F',
            'fd': "use find . -name '*.py' or rg --files -g '*.py'",
            'ag': 'use rg',
            'ack': 'use rg',
            'python': 'safe-shell runs no interpreters: jq . FILE reads JSON; '
                      'report-run execute-code runs a script, confined',
            'python3': 'safe-shell runs no interpreters: jq . FILE reads JSON; '
                       'report-run execute-code runs a script, confined',
            'node': 'safe-shell runs no interpreters: jq . FILE reads JSON; '
                    'report-run execute-code runs a script, confined',
            'perl': 'safe-shell runs no interpreters; use rg -o, sed -E or jq',
            'sh': 'safe-shell runs no interpreters; write the command itself',
            'bash': 'safe-shell runs no interpreters; write the command itself',
            'eval': 'write the command itself',
            'exec': 'write the command itself',
            'env': 'write the command itself; the environment is empty but for '
                   'the locale',
            'time': 'durationMs in the answer is the time it took',
            'timeout': 'use safe-shell --timeout SECONDS',
            'sleep': 'nothing is waited for here',
            'tee': 'nothing can be written here; read the result from stdout',
            'cp': 'nothing can be written here',
            'mv': 'nothing can be written here',
            'rm': 'nothing can be removed here',
            'mkdir': 'nothing can be written here',
            'touch': 'nothing can be written here',
            'chmod': 'nothing can be changed here',
            'curl': 'there is no network here',
            'wget': 'there is no network here',
            'sudo': 'write the command itself; no rights are gained here',
            'ps': 'processes are not shown here',
            'whoami': 'the environment is not shown here',
            'hexdump': 'use xxd or od -c',
            'strings': "use rg -a -o '[[:print:]]{6,}' FILE",
            'type': 'use command -v NAME or which NAME',
            'zcat': 'compressed files are not opened here',
            'watch': 'run the command again later',
            'nproc': 'the machine is not shown here',
            'uname': 'the machine is not shown here',
            'alias': 'write the command itself',
            'pytest': 'tests are not run here: read them with rg, cat or git '
                      'log',
            'make': 'nothing is built here: read the Makefile with cat or rg',
            'npm': 'nothing is installed or run here: jq .scripts package.json '
                   'reads them',
            'pip': 'nothing is installed here: cat requirements.txt, or rg '
                   'dependencies pyproject.toml',
            'tar': 'archives are not opened here: file-convert lists what can '
                   'be converted (file-convert list)',
            'unzip': 'archives are not opened here: file-convert lists what '
                     'can be converted (file-convert list)',
            'sqlite3': "use db-query -q 'SELECT ...' (or db-schema): the "
                       'database is read-only there',
            'psql': "use db-query -q 'SELECT ...' (or db-schema): the database "
                    'is read-only there',
            'mysql': "use db-query -q 'SELECT ...' (or db-schema): the "
                     'database is read-only there',
            'mongosh': 'use db-query -q \'{"find": "NAME"}\' (or db-schema): '
                       'the database is read-only there',
            'docker': 'containers are not reached from here'},
 'command': {'ls': {'flags': '-a -A -b -B -c -C -d -D -F -f -g -G -h -H -i -k '
                             '-l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v '
                             '-x -X -Z -1 -I=text -T=int -w=int --all '
                             '--almost-all --author --escape '
                             '--block-size=number --ignore-backups '
                             '--color?=enum(never|auto|always|none|no|tty|yes) '
                             '--directory --classify?=text --file-type '
                             '--format=text --full-time '
                             '--group-directories-first --no-group '
                             '--human-readable --si --hide=text '
                             '--indicator-style=text --inode --ignore=text '
                             '--kibibytes --numeric-uid-gid --literal '
                             '--hide-control-chars --show-control-chars '
                             '--quote-name --quoting-style=text --reverse '
                             '--recursive --size --sort=text --time=text '
                             '--time-style=text --tabsize=int --width=int '
                             '--context --zero',
                    'operands': 'paths',
                    'hints': {'-L': 'links are not followed; name the target',
                              '--dereference': 'name the target'}},
             'cat': {'flags': '-A -b -e -E -n -s -t -T -u -v --show-all '
                              '--number-nonblank --show-ends --number '
                              '--squeeze-blank --show-tabs --show-nonprinting',
                     'operands': 'paths'},
             'head': {'flags': '-NUM -n=text -c=text -q -v -z --lines=text '
                               '--bytes=text --quiet --silent --verbose '
                               '--zero-terminated',
                      'operands': 'paths'},
             'tail': {'flags': '-NUM -n=text -c=text -q -v -z --lines=text '
                               '--bytes=text --quiet --silent --verbose '
                               '--zero-terminated',
                      'operands': 'paths',
                      'hints': {'-f': 'following never ends: use tail -n 50 '
                                      'FILE',
                                '-F': 'following never ends: use tail -n 50 '
                                      'FILE',
                                '--follow': 'following never ends: use tail -n '
                                            '50 FILE'}},
             'wc': {'flags': '-l -w -c -m -L --lines --words --bytes --chars '
                             '--max-line-length',
                    'operands': 'paths',
                    'hints': {'--files0-from': 'name the files: wc -l a.txt '
                                               'b.txt'}},
             'sort': {'flags': '-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s '
                               '-u -z -k=text -t=text -S=number --key=text '
                               '--field-separator=text --ignore-leading-blanks '
                               '--dictionary-order --ignore-case '
                               '--general-numeric-sort --ignore-nonprinting '
                               '--month-sort --human-numeric-sort '
                               '--numeric-sort --random-sort --reverse '
                               '--sort=text --version-sort '
                               '--check?=enum(diagnose-first|quiet|silent) '
                               '--merge --stable --buffer-size=number '
                               '--parallel=int --unique --zero-terminated '
                               '--debug',
                      'operands': 'paths',
                      'forced': ['--buffer-size=256M'],
                      'hints': {'-o': 'nothing can be written here; read the '
                                      'result from stdout',
                                '--output': 'nothing can be written here; read '
                                            'the result from stdout'}},
             'uniq': {'flags': '-c -d -D -i -u -z -f=int -s=int -w=int --count '
                               '--repeated --unique --ignore-case '
                               '--all-repeated?=enum(none|prepend|separate) '
                               '--group?=enum(separate|prepend|append|both) '
                               '--skip-fields=int --skip-chars=int '
                               '--check-chars=int --zero-terminated',
                      'operands': 'paths',
                      'max_operands': 1},
             'cut': {'flags': '-b=text -c=text -d=text -f=text -s -n -z '
                              '--bytes=text --characters=text --delimiter=text '
                              '--fields=text --complement --only-delimited '
                              '--output-delimiter=text --zero-terminated',
                     'operands': 'paths'},
             'tr': {'flags': '-c -C -d -s -t --complement --delete '
                             '--squeeze-repeats --truncate-set1',
                    'operands': 'text',
                    'max_operands': 2},
             'nl': {'flags': '-b=text -d=text -f=text -h=text -i=int -l=int '
                             '-n=text -p -s=text -v=int -w=int '
                             '--body-numbering=text --section-delimiter=text '
                             '--footer-numbering=text --header-numbering=text '
                             '--line-increment=int --join-blank-lines=int '
                             '--number-format=text --no-renumber '
                             '--number-separator=text '
                             '--starting-line-number=int --number-width=int',
                    'operands': 'paths'},
             'fold': {'flags': '-b -s -w=int --bytes --spaces --width=int',
                      'operands': 'paths'},
             'expand': {'flags': '-i -t=text --initial --tabs=text',
                        'operands': 'paths'},
             'grep': {'flags': '-NUM -E -F -G -P -i -y -v -w -x -z -c -l -L -o '
                               '-q -s -n -H -h -r -I -a -Z -b -T -U -m=int '
                               '-A=int -B=int -C=int -e=text -f=path '
                               '-d=enum(read|recurse|skip) -D=enum(skip) '
                               '--extended-regexp --fixed-strings '
                               '--basic-regexp --perl-regexp --regexp=text '
                               '--file=path --ignore-case --no-ignore-case '
                               '--word-regexp --line-regexp --null-data '
                               '--no-messages --invert-match --max-count=int '
                               '--byte-offset --line-number --line-buffered '
                               '--with-filename --no-filename --label=text '
                               '--only-matching --quiet --silent '
                               '--binary-files=enum(binary|text|without-match) '
                               '--text --directories=enum(read|recurse|skip) '
                               '--devices=enum(skip) --recursive '
                               '--include=text --exclude=text '
                               '--exclude-dir=text --files-without-match '
                               '--files-with-matches --count --initial-tab '
                               '--null --before-context=int '
                               '--after-context=int --context=int '
                               '--group-separator=text --no-group-separator '
                               '--color?=enum(never|auto|always) '
                               '--colour?=enum(never|auto|always) --binary',
                      'operands': 'pattern-paths',
                      'pattern_flags': ['-e', '-f', '--regexp', '--file'],
                      'forced': ['--devices=skip'],
                      'hints': {'-R': 'use grep -r: links are not followed',
                                '--dereference-recursive': 'use grep -r: links '
                                                           'are not followed'}},
             'rg': {'flags': '-n -N -i -S -s -F -w -x -v -c -l -o -q -U -P -H '
                             '-I -a -u -p -0 -b -. -g=text -t=text -T=text '
                             '-e=text -f=path -m=int -A=int -B=int -C=int '
                             '-r=text -j=int -d=int -M=int -E=text --files '
                             '--hidden --no-hidden --no-ignore --no-ignore-dot '
                             '--no-ignore-exclude --no-ignore-global '
                             '--no-ignore-parent --no-ignore-vcs '
                             '--no-ignore-files --no-ignore-messages --ignore '
                             '--ignore-vcs --glob=text --iglob=text '
                             '--glob-case-insensitive --type=text '
                             '--type-not=text --type-add=text '
                             '--type-clear=text --type-list --max-count=int '
                             '--max-depth=int --max-columns=int '
                             '--max-columns-preview --max-filesize=number '
                             '--context=int --after-context=int '
                             '--before-context=int --regexp=text --file=path '
                             '--replace=text --sort=text --sortr=text --json '
                             '--stats --vimgrep --heading --no-heading '
                             '--color=enum(never|auto|always|ansi) '
                             '--colors=text --column --no-column --line-number '
                             '--no-line-number --ignore-case --smart-case '
                             '--case-sensitive --fixed-strings '
                             '--no-fixed-strings --word-regexp --line-regexp '
                             '--files-with-matches --files-without-match '
                             '--count --count-matches --only-matching '
                             '--invert-match --multiline --no-multiline '
                             '--multiline-dotall --pcre2 --no-pcre2 '
                             '--engine=text --auto-hybrid-regex --trim '
                             '--no-trim --passthru --text --binary '
                             '--threads=int --no-messages --with-filename '
                             '--no-filename --null --null-data --byte-offset '
                             '--quiet --pretty --crlf --encoding=text '
                             '--no-encoding --context-separator=text '
                             '--no-context-separator '
                             '--field-context-separator=text '
                             '--field-match-separator=text --include-zero '
                             '--line-buffered --block-buffered --mmap '
                             '--no-mmap --no-config --no-follow '
                             '--no-require-git --one-file-system '
                             '--path-separator=text --pcre2-version --print0 '
                             '--regex-size-limit=number '
                             '--dfa-size-limit=number --unrestricted --unicode '
                             '--no-unicode --no-json --no-stats --debug',
                    'operands': 'pattern-paths',
                    'pattern_flags': ['-e',
                                      '-f',
                                      '--regexp',
                                      '--file',
                                      '--files',
                                      '--type-list'],
                    'forced': ['--no-config'],
                    'hints': {'--pre': 'no program may be run; search the file '
                                       'as it is',
                              '-z': 'compressed files are not opened',
                              '--search-zip': 'compressed files are not opened',
                              '-L': 'links are not followed; name the folder',
                              '--follow': 'links are not followed; name the '
                                          'folder'}},
             'find': {'grammar': 'find',
                      'flags': '-name=text -iname=text -path=text -ipath=text '
                               '-wholename=text -iwholename=text -regex=text '
                               '-iregex=text -regextype=text -lname=text '
                               '-ilname=text -type=text -xtype=text '
                               '-size=number -empty -mtime=number -mmin=number '
                               '-atime=number -amin=number -ctime=number '
                               '-cmin=number -used=number -newer=path '
                               '-anewer=path -cnewer=path -newermm=path '
                               '-newermt=text -newerat=text -newerct=text '
                               '-samefile=path -maxdepth=int -mindepth=int '
                               '-depth -d -daystart -mount -xdev -noleaf -warn '
                               '-nowarn -ignore_readdir_race '
                               '-noignore_readdir_race -perm=text -user=text '
                               '-group=text -uid=number -gid=number -nouser '
                               '-nogroup -fstype=text -links=number '
                               '-inum=number -readable -writable -executable '
                               '-print -print0 -printf=text -ls -prune -quit '
                               '-true -false -not ! -a -and -o -or ( ) ,',
                      'hints': {'-exec': "use grep -rn --include='*.py' "
                                         'PATTERN ., or pipe into head or wc',
                                '-execdir': "use grep -rn --include='*.py' "
                                            'PATTERN .',
                                '-delete': 'nothing can be removed here',
                                '-L': 'links are not followed; name the folder',
                                '-follow': 'links are not followed; name the '
                                           'folder',
                                '-ok': 'no program may be run'}},
             'sed': {'grammar': 'sed',
                     'flags': '-n -E -r -s -u -z -l=int -e=text --quiet '
                              '--silent --expression=text --regexp-extended '
                              '--separate --unbuffered --null-data '
                              '--line-length=int --posix --sandbox',
                     'operands': 'pattern-paths',
                     'pattern_flags': ['-e', '--expression'],
                     'forced': ['--sandbox'],
                     'hints': {'-i': 'nothing can be changed here; read the '
                                     'result from stdout',
                               '-f': 'write the script on the line: sed -n '
                                     "'1,20p' FILE"}},
             'date': {'flags': '-u -R -I?=enum(date|hours|minutes|seconds|ns) '
                               '-d=text -r=path --utc --universal --rfc-email '
                               '--iso-8601?=enum(date|hours|minutes|seconds|ns) '
                               '--rfc-3339=enum(date|seconds|ns) --date=text '
                               '--reference=path --resolution',
                      'operands': 'text',
                      'operand_pattern': '\\+.*',
                      'max_operands': 1},
             'jq': {'grammar': 'jq',
                    'flags': '-r -c -n -s -S -e -a -j -R -M -C --tab '
                             '--indent=int --raw-output --join-output '
                             '--compact-output --null-input --slurp '
                             '--sort-keys --exit-status --raw-input '
                             '--ascii-output --color-output '
                             '--monochrome-output --seq --stream --unbuffered '
                             '--arg=text+text --argjson=text+text '
                             '--slurpfile=text+path --rawfile=text+path --args '
                             '--jsonargs',
                    'operands': 'pattern-paths',
                    'hints': {'-f': 'write the program on the line: jq '
                                    "'.items[]' FILE",
                              '--from-file': 'write the program on the line: '
                                             "jq '.items[]' FILE",
                              '-L': 'modules are not loaded here'}},
             'diff': {'flags': '-NUM -a -b -B -c -d -e -E -i -n -N -p -P -q -r '
                               '-s -t -T -u -w -y -Z -C=int -U=int -W=int '
                               '-x=text -I=text -F=text -S=text -D=text '
                               '-L=text --normal --brief '
                               '--report-identical-files --context?=int '
                               '--unified?=int --ed --rcs --side-by-side '
                               '--width=int --left-column '
                               '--suppress-common-lines --show-c-function '
                               '--show-function-line=text --label=text '
                               '--expand-tabs --initial-tab --tabsize=int '
                               '--suppress-blank-empty --recursive '
                               '--no-dereference --new-file '
                               '--unidirectional-new-file '
                               '--ignore-file-name-case '
                               '--no-ignore-file-name-case --exclude=text '
                               '--starting-file=text --ignore-case '
                               '--ignore-tab-expansion --ignore-trailing-space '
                               '--ignore-space-change --ignore-all-space '
                               '--ignore-blank-lines '
                               '--ignore-matching-lines=text --text '
                               '--strip-trailing-cr --ifdef=text '
                               '--line-format=text --minimal '
                               '--horizon-lines=int --speed-large-files '
                               '--color?=enum(never|auto|always) '
                               '--palette=text',
                      'operands': 'paths',
                      'max_operands': 2,
                      'forced_for_folders': ['--no-dereference'],
                      'hints': {'-l': 'use diff -u A B: -l runs another '
                                      'program',
                                '--paginate': 'use diff -u A B'}},
             'cmp': {'flags': '-b -l -s -n=number -i=text --print-bytes '
                              '--verbose --quiet --silent --bytes=number '
                              '--ignore-initial=text',
                     'operands': 'paths',
                     'max_operands': 4},
             'file': {'flags': '-b -i -L -h -k -r -N -n -0 -E -e=text -F=text '
                               '-P=text --brief --mime --mime-type '
                               '--mime-encoding --apple --extension '
                               '--exclude=text --exclude-quiet=text '
                               '--separator=text --parameter=text '
                               '--dereference --no-dereference --keep-going '
                               '--raw --no-pad --no-buffer --print0',
                      'operands': 'paths',
                      'hints': {'-f': 'name the files: file *.png',
                                '--files-from': 'name the files: file *.png'}},
             'tree': {'flags': '-a -d -f -x -q -N -Q -p -u -g -s -h -D -F -v '
                               '-t -c -U -r -i -A -S -n -C -J -L=int -P=text '
                               '-I=text --gitignore --ignore-case --matchdirs '
                               '--metafirst --prune --noreport --charset=text '
                               '--filelimit=int --si --du --timefmt=text '
                               '--inodes --device --dirsfirst --filesfirst '
                               '--sort?=text',
                      'operands': 'paths',
                      'attached': False,
                      'hints': {'-o': 'nothing can be written here; read the '
                                      'result from stdout',
                                '-l': 'links are not followed',
                                '-R': 'use tree -L 3'}},
             'du': {'flags': '-0 -a -b -B=number -c -d=int -h -k -l -m -P -s '
                             '-S -t=number -x --null --all --apparent-size '
                             '--block-size=number --bytes --total '
                             '--max-depth=int --summarize --human-readable '
                             '--inodes --count-links --no-dereference '
                             '--separate-dirs --si --threshold=number '
                             '--time?=text --time-style=text --exclude=text '
                             '--one-file-system',
                    'operands': 'paths',
                    'hints': {'-L': 'links are not followed; name the folder',
                              '--files0-from': 'name the folders: du -sh src '
                                               'docs'}},
             'df': {'flags': '-a -B=number -h -H -i -k -l -P -t=text -T -v '
                             '-x=text --all --block-size=number '
                             '--human-readable --si --inodes --local --no-sync '
                             '--output?=text --portability --total --type=text '
                             '--print-type --exclude-type=text',
                    'operands': 'paths'},
             'stat': {'flags': '-L -f -c=text -t --dereference --file-system '
                               '--format=text --printf=text --terse',
                      'operands': 'paths'},
             'realpath': {'flags': '-e -m -L -P -q -s -z '
                                   '--canonicalize-existing '
                                   '--canonicalize-missing --logical '
                                   '--physical --quiet --relative-to=path '
                                   '--relative-base=path --strip --no-symlinks '
                                   '--zero',
                          'operands': 'paths'},
             'readlink': {'flags': '-f -e -m -n -q -s -v -z --canonicalize '
                                   '--canonicalize-existing '
                                   '--canonicalize-missing --no-newline '
                                   '--quiet --silent --verbose --zero',
                          'operands': 'paths'},
             'xxd': {'flags': '-a -b -C -e -E -i -p -ps -plain -u -c=int '
                              '-cols=int -g=int -l=int -len=int -n=text -o=int '
                              '-s=int -seek=int',
                     'operands': 'paths',
                     'max_operands': 1,
                     'bundles': False,
                     'common': False,
                     'hints': {'-r': 'nothing can be written here'}},
             'od': {'flags': '-A=text -a -b -c -d -f -i -j=number -l -N=number '
                             '-o -s -S=number -t=text -v -w?=int -x '
                             '--address-radix=text --endian=text '
                             '--skip-bytes=number --read-bytes=number '
                             '--strings?=number --format=text '
                             '--output-duplicates --width?=int',
                    'operands': 'paths'},
             'sha256sum': {'flags': '-b -t -z --binary --text --tag --zero',
                           'operands': 'paths',
                           'hints': {'-c': 'sums are not checked from a list; '
                                           'name the files'}},
             'sha1sum': {'flags': '-b -t -z --binary --text --tag --zero',
                         'operands': 'paths'},
             'sha512sum': {'flags': '-b -t -z --binary --text --tag --zero',
                           'operands': 'paths'},
             'md5sum': {'flags': '-b -t -z --binary --text --tag --zero',
                        'operands': 'paths',
                        'hints': {'-c': 'sums are not checked from a list; '
                                        'name the files'}},
             'comm': {'flags': '-1 -2 -3 -z --check-order --nocheck-order '
                               '--total --output-delimiter=text '
                               '--zero-terminated',
                      'operands': 'paths',
                      'max_operands': 2},
             'join': {'flags': '-1=int -2=int -a=int -e=text -i -j=int -o=text '
                               '-t=text -v=int -z --ignore-case --check-order '
                               '--nocheck-order --header --zero-terminated',
                      'operands': 'paths',
                      'max_operands': 2},
             'paste': {'flags': '-d=text -s -z --delimiters=text --serial '
                                '--zero-terminated',
                       'operands': 'paths'},
             'column': {'flags': '-t -n=text -O=text -N=text -l=int -E=text -d '
                                 '-e -H=text -R=text -T=text -W=text -L -J '
                                 '-r=text -i=text -p=text -c=int -o=text '
                                 '-s=text -x --table --table-name=text '
                                 '--table-order=text --table-columns=text '
                                 '--table-columns-limit=int '
                                 '--table-noextreme=text --table-noheadings '
                                 '--table-header-repeat --table-hide=text '
                                 '--table-right=text --table-truncate=text '
                                 '--table-wrap=text --keep-empty-lines --json '
                                 '--tree=text --tree-id=text '
                                 '--tree-parent=text --output-width=int '
                                 '--output-separator=text --separator=text '
                                 '--fillrows',
                        'operands': 'paths'},
             'base64': {'flags': '-d -i -w=int --decode --ignore-garbage '
                                 '--wrap=int',
                        'operands': 'paths',
                        'max_operands': 1},
             'tac': {'flags': '-b -r -s=text --before --regex --separator=text',
                     'operands': 'paths'},
             'rev': {'flags': '', 'operands': 'paths'},
             'seq': {'flags': '-NUM -w -s=text -f=text --equal-width '
                              '--separator=text --format=text',
                     'operands': 'text',
                     'max_operands': 3},
             'expr': {'flags': '', 'operands': 'text', 'options': False}},
 'git': {'flags': '--no-pager -P --version --no-optional-locks '
                  '--literal-pathspecs --glob-pathspecs --noglob-pathspecs '
                  '--icase-pathspecs --no-replace-objects -C=path -c=text',
         'config_ok': ['color.ui',
                       'color.diff',
                       'color.status',
                       'color.branch',
                       'core.quotepath',
                       'core.pager=cat',
                       'log.date',
                       'log.decorate',
                       'log.abbrevcommit',
                       'diff.renames',
                       'diff.renamelimit',
                       'diff.context',
                       'diff.algorithm',
                       'diff.colormoved',
                       'diff.wserrorhighlight',
                       'status.relativepaths',
                       'status.short',
                       'status.branch',
                       'grep.linenumber',
                       'column.ui'],
         'advice': {'commit': 'nothing can be written here',
                    'checkout': 'use git show REV:PATH',
                    'switch': 'use git log BRANCH or git show BRANCH:PATH',
                    'fetch': 'there is no network here',
                    'pull': 'there is no network here',
                    'push': 'there is no network here',
                    'clone': 'there is no network here',
                    'ls-remote': 'use git remote -v or git show-ref',
                    'bisect': 'use git log --oneline',
                    'annotate': 'use git blame FILE',
                    'whatchanged': 'use git log --raw',
                    'submodule': 'use cat .gitmodules and git ls-tree HEAD',
                    'archive': 'use git ls-tree -r and git show REV:PATH',
                    'help': 'use git --version; the options allowed are in '
                            'safe-shell --list git'},
         'hints': {'--output': 'nothing can be written here; read the result '
                               'from stdout',
                   '--no-index': 'use diff -u A B or grep -rn PATTERN .',
                   '--help': 'the options allowed are in safe-shell --list git',
                   '--show-signature': 'signatures are not checked here',
                   '-O': 'no program may be run',
                   '--git-dir': 'use git -C FOLDER',
                   '--work-tree': 'use git -C FOLDER',
                   '--batch': 'use git cat-file -p OBJECT'},
         'environment': {'GIT_CONFIG_NOSYSTEM': '1',
                         'GIT_CONFIG_GLOBAL': '/dev/null',
                         'GIT_ATTR_NOSYSTEM': '1',
                         'GIT_OPTIONAL_LOCKS': '0',
                         'GIT_TERMINAL_PROMPT': '0',
                         'GIT_NO_LAZY_FETCH': '1',
                         'GIT_ALLOW_PROTOCOL': 'none',
                         'GIT_NO_REPLACE_OBJECTS': '1',
                         'GIT_PAGER': 'cat',
                         'GIT_EDITOR': 'false',
                         'GIT_ASKPASS': 'false',
                         'GIT_SSH_COMMAND': 'false'},
         'config': {'color.ui': 'false',
                    'core.alternateRefsCommand': '',
                    'core.askPass': 'false',
                    'core.attributesFile': '/dev/null',
                    'core.editor': 'false',
                    'core.excludesFile': '/dev/null',
                    'core.fsmonitor': 'false',
                    'core.gitProxy': '',
                    'core.hooksPath': '/dev/null',
                    'core.pager': 'cat',
                    'core.sshCommand': 'false',
                    'core.untrackedCache': 'false',
                    'credential.helper': '',
                    'diff.ignoreSubmodules': 'all',
                    'diff.submodule': 'short',
                    'gpg.program': 'false',
                    'gpg.openpgp.program': 'false',
                    'gpg.ssh.program': 'false',
                    'gpg.x509.program': 'false',
                    'log.diffMerges': 'separate',
                    'log.showSignature': 'false',
                    'mailmap.file': '/dev/null',
                    'protocol.allow': 'never',
                    'safe.bareRepository': 'explicit',
                    'safe.directory': '*',
                    'sequence.editor': 'false',
                    'status.submoduleSummary': 'false',
                    'submodule.recurse': 'false'},
         'neutralise': {'': ['filter\\..*\\.(clean|smudge|process)',
                             'diff\\..*\\.(command|textconv)',
                             'diff\\.(external|tool|guitool)',
                             'difftool\\..*',
                             'merge\\..*\\.driver',
                             'mergetool\\..*',
                             'gpg\\..*program',
                             'gpg\\.ssh\\..*',
                             'remote\\..*\\.(uploadpack|receivepack|vcs|proxy)',
                             'credential\\..*',
                             'pager\\..*',
                             'alias\\..*',
                             'trailer\\..*\\.(command|cmd)',
                             'hook\\..*',
                             'browser\\..*',
                             'man\\..*',
                             'interactive\\.difffilter',
                             'mailmap\\.blob',
                             'core\\.(alternaterefscommand|gitproxy)'],
                        'false': ['filter\\..*\\.required',
                                  'diff\\..*\\.cachetextconv',
                                  'core\\.fsmonitor',
                                  'submodule\\..*\\.active'],
                        '/dev/null': ['diff\\.orderfile',
                                      'mailmap\\.file',
                                      'core\\.(attributesfile|excludesfile)',
                                      'commit\\.template'],
                        'all': ['submodule\\..*\\.ignore']},
         'refuse': {'keys': ['include\\.path', 'includeif\\..*\\.path'],
                    'files': ['blame\\.ignorerevsfile']},
         'groups': {'diff': '-p -u -s -a -b -w -W -z -R -B?=text -C?=text -D '
                            '-G=text -I=text -M?=text -S=text -U?=int -X?=text '
                            '-l=int --patch --no-patch --unified?=int --raw '
                            '--patch-with-raw --patch-with-stat '
                            '--indent-heuristic --no-indent-heuristic '
                            '--minimal --patience --histogram --anchored=text '
                            '--diff-algorithm=text --stat?=text --no-stat '
                            '--stat-width=int --stat-name-width=int '
                            '--stat-count=int --stat-graph-width=int '
                            '--compact-summary --numstat --shortstat '
                            '--dirstat?=text --cumulative '
                            '--dirstat-by-file?=text --summary --name-only '
                            '--name-status --color?=enum(never|auto|always) '
                            '--no-color --color-moved?=text --no-color-moved '
                            '--color-moved-ws=text --word-diff?=text '
                            '--word-diff-regex=text --color-words?=text '
                            '--no-renames --rename-empty --no-rename-empty '
                            '--check --ws-error-highlight=text --full-index '
                            '--binary --abbrev?=int --no-abbrev '
                            '--break-rewrites?=text --find-renames?=text '
                            '--find-copies?=text --find-copies-harder '
                            '--irreversible-delete --diff-filter=text '
                            '--pickaxe-all --pickaxe-regex --find-object=text '
                            '--relative?=text --no-relative --text '
                            '--ignore-cr-at-eol --ignore-space-at-eol '
                            '--ignore-space-change --ignore-all-space '
                            '--ignore-blank-lines --ignore-matching-lines=text '
                            '--inter-hunk-context=int --function-context '
                            '--exit-code --quiet --no-ext-diff --no-textconv '
                            '--ignore-submodules?=enum(all) --src-prefix=text '
                            '--dst-prefix=text --no-prefix --default-prefix '
                            '--line-prefix=text --output-indicator-new=text '
                            '--output-indicator-old=text '
                            '--output-indicator-context=text --skip-to=text '
                            '--rotate-to=text',
                    'merge': '-c -m --cc '
                             '--diff-merges=enum(off|none|on|first-parent|1|separate|m|combined|c|dense-combined|cc) '
                             '--no-diff-merges --combined-all-paths',
                    'format': '--pretty?=text --format=text --oneline '
                              '--abbrev-commit --no-abbrev-commit --date=text '
                              '--relative-date --encoding=text '
                              '--expand-tabs?=int --no-expand-tabs '
                              '--notes?=text --no-notes --show-notes '
                              '--no-show-signature --parents --children '
                              '--left-right --graph --no-graph '
                              '--show-linear-break?=text',
                    'revisions': '-NUM -i -E -F -P -g --max-count=int '
                                 '--skip=int --since=text --after=text '
                                 '--until=text --before=text '
                                 '--since-as-filter=text --author=text '
                                 '--committer=text --grep=text '
                                 '--grep-reflog=text --all-match --invert-grep '
                                 '--regexp-ignore-case --basic-regexp '
                                 '--extended-regexp --fixed-strings '
                                 '--perl-regexp --remove-empty --merges '
                                 '--no-merges --min-parents=int '
                                 '--max-parents=int --no-min-parents '
                                 '--no-max-parents --first-parent '
                                 '--exclude-first-parent-only --not --all '
                                 '--branches?=text --tags?=text '
                                 '--remotes?=text --glob=text --exclude=text '
                                 '--reflog --ignore-missing --cherry-mark '
                                 '--cherry-pick --left-only --right-only '
                                 '--cherry --walk-reflogs --merge --boundary '
                                 '--simplify-by-decoration --show-pulls '
                                 '--full-history --dense --sparse '
                                 '--simplify-merges --ancestry-path?=text '
                                 '--date-order --author-date-order '
                                 '--topo-order --reverse --no-walk?=text '
                                 '--do-walk',
                    'log': '-L=text --follow --no-decorate --decorate?=text '
                           '--decorate-refs=text --decorate-refs-exclude=text '
                           '--clear-decorations --source --mailmap '
                           '--use-mailmap --no-mailmap --log-size --full-diff '
                           '-t',
                    'refs': '--contains?=text --no-contains?=text '
                            '--merged?=text --no-merged?=text --points-at=text '
                            '--format=text --sort=text '
                            '--color?=enum(never|auto|always) --ignore-case '
                            '--omit-empty'},
         'sub': {'status': {'flags': '-s -b -v -z -M?=text '
                                     '-u?=enum(no|normal|all) --null --short '
                                     '--branch --show-stash '
                                     '--porcelain?=enum(v1|v2|1|2) --long '
                                     '--verbose '
                                     '--untracked-files?=enum(no|normal|all) '
                                     '--ignored?=enum(traditional|no|matching) '
                                     '--column?=text --no-column '
                                     '--ahead-behind --no-ahead-behind '
                                     '--renames --no-renames '
                                     '--find-renames?=text '
                                     '--ignore-submodules?=enum(all)',
                            'forced': ['--ignore-submodules=all']},
                 'log': {'flags': '-n=int @revisions @format @log @diff @merge',
                         'forced': ['--no-ext-diff',
                                    '--no-textconv',
                                    '--ignore-submodules=all']},
                 'show': {'flags': '-n=int @revisions @format @log @diff '
                                   '@merge',
                          'forced': ['--no-ext-diff',
                                     '--no-textconv',
                                     '--ignore-submodules=all']},
                 'diff': {'flags': '@diff @merge -0 -1 -2 -3 -q --cached '
                                   '--staged --merge-base --base --ours '
                                   '--theirs --no-index',
                          'forced': ['--no-ext-diff',
                                     '--no-textconv',
                                     '--ignore-submodules=all']},
                 'diff-tree': {'flags': '@diff @merge @format -r -t -v --root '
                                        '--no-commit-id --merge-base',
                               'forced': ['--no-ext-diff',
                                          '--no-textconv',
                                          '--ignore-submodules=all']},
                 'diff-index': {'flags': '@diff @merge --cached --merge-base',
                                'forced': ['--no-ext-diff',
                                           '--no-textconv',
                                           '--ignore-submodules=all']},
                 'diff-files': {'flags': '@diff @merge -0 -1 -2 -3 -q --base '
                                         '--ours --theirs',
                                'forced': ['--no-ext-diff',
                                           '--no-textconv',
                                           '--ignore-submodules=all']},
                 'blame': {'flags': '-L=text -b -p -c -t -l -f -n -s -e -w '
                                    '-M?=text -C?=text --root --show-stats '
                                    '--reverse --first-parent --porcelain '
                                    '--line-porcelain --incremental --progress '
                                    '--no-progress --show-name --show-number '
                                    '--show-email --abbrev?=int --date=text '
                                    '--encoding=text --since=text --minimal '
                                    '--color-lines --color-by-age '
                                    '--score-debug --ignore-rev=text '
                                    '--no-textconv',
                           'forced': ['--no-textconv']},
                 'grep': {'flags': '-NUM -a -i -I -r -w -v -h -H -E -G -P -F '
                                   '-n -l -L -z -o -c -p -q -W -A=int -B=int '
                                   '-C=int -m=int -f=path -e=text --cached '
                                   '--untracked --no-exclude-standard '
                                   '--exclude-standard --text --ignore-case '
                                   '--max-depth=int --recursive --no-recursive '
                                   '--word-regexp --invert-match --full-name '
                                   '--extended-regexp --basic-regexp '
                                   '--perl-regexp --fixed-strings '
                                   '--line-number --column '
                                   '--files-with-matches --name-only '
                                   '--files-without-match --null '
                                   '--only-matching --count '
                                   '--color?=enum(never|auto|always) '
                                   '--no-color --break --heading '
                                   '--show-function --context=int '
                                   '--after-context=int --before-context=int '
                                   '--function-context --max-count=int '
                                   '--threads=int --and --or --not --all-match '
                                   '--quiet --no-textconv',
                          'pattern_flags': ['-e', '-f'],
                          'forced': ['--no-textconv']},
                 'ls-files': {'flags': '-c -d -m -o -i -s -u -k -z -t -v -f '
                                       '-x=text --cached --deleted --modified '
                                       '--others --ignored --stage --unmerged '
                                       '--killed --directory '
                                       '--no-empty-directory --eol '
                                       '--deduplicate --exclude=text '
                                       '--exclude-standard --error-unmatch '
                                       '--full-name --abbrev?=int '
                                       '--format=text --debug --with-tree=text '
                                       '--sparse'},
                 'ls-tree': {'flags': '-d -r -t -l -z --long --name-only '
                                      '--name-status --object-only --full-name '
                                      '--full-tree --abbrev?=int '
                                      '--format=text'},
                 'rev-parse': {'flags': '-q --abbrev-ref?=text --short?=int '
                                        '--verify --quiet --show-toplevel '
                                        '--show-prefix --show-cdup --git-dir '
                                        '--absolute-git-dir --git-common-dir '
                                        '--git-path=text --is-inside-git-dir '
                                        '--is-inside-work-tree '
                                        '--is-bare-repository '
                                        '--is-shallow-repository --symbolic '
                                        '--symbolic-full-name --all '
                                        '--branches?=text --tags?=text '
                                        '--remotes?=text --glob=text '
                                        '--exclude=text --disambiguate=text '
                                        '--revs-only --no-revs --flags '
                                        '--no-flags --not --default=text '
                                        '--since=text --after=text '
                                        '--until=text --before=text '
                                        '--path-format=enum(absolute|relative) '
                                        '--show-object-format?=text'},
                 'rev-list': {'flags': '-n=int @revisions @format --objects '
                                       '--objects-edge --count '
                                       '--disk-usage?=text --header '
                                       '--timestamp --quiet --no-commit-header '
                                       '--commit-header --no-object-names '
                                       '--object-names --use-bitmap-index '
                                       '--filter=text --no-filter'},
                 'cat-file': {'flags': '-p -t -s -e'},
                 'describe': {'flags': '--all --tags --contains --abbrev?=int '
                                       '--candidates=int --exact-match --debug '
                                       '--long --match=text --exclude=text '
                                       '--always --first-parent --dirty?=text'},
                 'shortlog': {'flags': '-NUM -s -n -e -c -i -w?=text --summary '
                                       '--numbered --email --committer '
                                       '--group=text --format=text --date=text '
                                       '--since=text --after=text --until=text '
                                       '--before=text --author=text '
                                       '--grep=text --all --branches?=text '
                                       '--tags?=text --remotes?=text --merges '
                                       '--no-merges --first-parent '
                                       '--no-walk?=text --max-count=int '
                                       '--skip=int --regexp-ignore-case '
                                       '--invert-grep --all-match'},
                 'merge-base': {'flags': '-a --all --octopus --independent '
                                         '--is-ancestor --fork-point'},
                 'name-rev': {'flags': '--tags --refs=text --exclude=text '
                                       '--all --name-only --no-undefined '
                                       '--undefined --always'},
                 'show-ref': {'flags': '-d -q --head --heads --branches --tags '
                                       '--dereference -s --hash?=int --verify '
                                       '--abbrev?=int --quiet'},
                 'for-each-ref': {'flags': '@refs --count=int --exclude=text '
                                           '--shell --perl --python --tcl'},
                 'count-objects': {'flags': '-v -H --verbose --human-readable'},
                 'check-ignore': {'flags': '-v -n -q --verbose --non-matching '
                                           '--quiet --no-index'},
                 'check-attr': {'flags': '-a -z --all --cached'},
                 'cherry': {'flags': '-v --abbrev?=int'},
                 'branch': {'flags': '@refs -a -r -v -l -i -q --all --remotes '
                                     '--verbose --list --show-current '
                                     '--no-color --abbrev?=int --no-abbrev '
                                     '--column?=text --no-column --quiet',
                            'operands_with': ['-l',
                                              '--list',
                                              '--contains',
                                              '--no-contains',
                                              '--merged',
                                              '--no-merged',
                                              '--points-at']},
                 'tag': {'flags': '@refs -l -n?=int -i --list --column?=text '
                                  '--no-column',
                         'operands_with': ['-l',
                                           '-n',
                                           '--list',
                                           '--contains',
                                           '--no-contains',
                                           '--merged',
                                           '--no-merged',
                                           '--points-at']},
                 'remote': {'flags': '-v --verbose',
                            'verbs': {'': '', 'get-url': '--all --push'}},
                 'stash': {'flags': '',
                           'verbs': {'list': '-n=int @revisions @format @log '
                                             '@diff',
                                     'show': '@diff @merge --include-untracked '
                                             '--only-untracked'},
                           'forced': ['--no-ext-diff',
                                      '--no-textconv',
                                      '--ignore-submodules=all']},
                 'reflog': {'flags': '-n=int @revisions @format @log @diff',
                            'verbs': {'': '', 'show': '', 'exists': ''}},
                 'worktree': {'flags': '',
                              'verbs': {'list': '-v -z --porcelain --verbose'}},
                 'config': {'flags': '--get --bool --int --type=text '
                                     '--default=text --show-origin '
                                     '--show-scope',
                            'max_operands': 1,
                            'hints': {'--list': 'name one key: git config '
                                                '--get user.name',
                                      '-l': 'name one key: git config --get '
                                            'user.name',
                                      '--get-all': 'use git config --get KEY',
                                      '--get-regexp': 'use git config --get '
                                                      'KEY'}},
                 'symbolic-ref': {'flags': '-q --quiet --short --recurse '
                                           '--no-recurse',
                                  'max_operands': 1},
                 'version': {'flags': '--build-options', 'max_operands': 0}}}}
