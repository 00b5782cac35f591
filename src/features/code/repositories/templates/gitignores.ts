/** What a new repository may be told to ignore, by the names that clients know. One file pattern to a line; a line with # is a heading. */
const TEMPLATES: Readonly<Record<string, string>> = {
  Ada: `
    # Objects and library information
    *.o
    *.ali
    # Projects' own folders
    obj/
    lib/
    alire/
  `,
  Android: `
    # Built packages
    *.apk
    *.aab
    *.dex
    # Build results
    bin/
    gen/
    out/
    build/
    captures/
    .externalNativeBuild/
    .cxx/
    # Gradle
    .gradle/
    # Paths and keys of one machine
    local.properties
    *.jks
    *.keystore
    google-services.json
    # IDE
    .idea/
    *.iml
  `,
  C: `
    # Objects
    *.o
    *.obj
    *.ko
    *.elf
    # Precompiled headers
    *.gch
    *.pch
    # Libraries
    *.a
    *.la
    *.lo
    *.lib
    *.so
    *.so.*
    *.dylib
    *.dll
    # Programs
    *.exe
    *.out
    *.hex
    # Debugging and profiling
    *.dSYM/
    *.su
    *.gcda
    *.gcno
    *.gcov
  `,
  "C++": `
    # Objects
    *.o
    *.obj
    *.lo
    # Precompiled headers and modules
    *.gch
    *.pch
    *.pcm
    # Libraries
    *.a
    *.la
    *.lib
    *.so
    *.so.*
    *.dylib
    *.dll
    # Programs
    *.exe
    *.out
    *.app
    # Build folders
    build/
    cmake-build-*/
  `,
  CMake: `
    CMakeCache.txt
    CMakeFiles/
    CMakeScripts/
    CMakeUserPresets.json
    CTestTestfile.cmake
    Makefile
    Testing/
    _deps/
    cmake_install.cmake
    compile_commands.json
    install_manifest.txt
  `,
  Clojure: `
    /target/
    /classes/
    /checkouts/
    /.cpcache/
    /.lein-*
    /.nrepl-port
    .clj-kondo/.cache/
    .lsp/.cache/
    *.jar
    *.class
    pom.xml.asc
    profiles.clj
  `,
  Dart: `
    .dart_tool/
    .packages
    .pub/
    build/
    doc/api/
    *.dart.js
    *.js.deps
    *.js.map
  `,
  Elixir: `
    /_build/
    /cover/
    /deps/
    /doc/
    /.fetch
    erl_crash.dump
    *.ez
    *.beam
    /config/*.secret.exs
    .elixir_ls/
  `,
  Emacs: `
    # Copies and locks of open files
    *~
    \\#*\\#
    .\\#*
    # Sessions and histories
    /.emacs.desktop
    /.emacs.desktop.lock
    auto-save-list/
    tramp
    # Compiled Lisp
    *.elc
  `,
  Erlang: `
    .eunit/
    .rebar/
    _build/
    _checkouts/
    deps/
    ebin/*.beam
    rel/
    log/
    *.beam
    *.plt
    erl_crash.dump
    rebar3.crashdump
  `,
  Go: `
    # Programs
    *.exe
    *.exe~
    *.dll
    *.so
    *.dylib
    # Test programs and coverage
    *.test
    *.out
    coverage.*
    *.coverprofile
    # Workspaces of one machine
    go.work
    go.work.sum
    # Settings of one machine
    .env
  `,
  Gradle: `
    .gradle/
    **/build/
    !**/src/**/build/
    gradle-app.setting
    .gradletasknamecache
    # The wrapper belongs to the repository
    !gradle-wrapper.jar
    !gradle-wrapper.properties
  `,
  Haskell: `
    dist/
    dist-newstyle/
    cabal-dev/
    .cabal-sandbox/
    .stack-work/
    .hpc/
    .hsenv/
    cabal.project.local
    cabal.project.local~
    cabal.sandbox.config
    .ghc.environment.*
    *.o
    *.hi
    *.hie
    *.chi
    *.dyn_o
    *.dyn_hi
    *.prof
    *.hp
    *.eventlog
  `,
  Java: `
    # Compiled classes and packages
    *.class
    *.jar
    *.war
    *.nar
    *.ear
    # Logs and crash reports
    *.log
    hs_err_pid*
    replay_pid*
  `,
  JetBrains: `
    # What belongs to one person
    .idea/**/workspace.xml
    .idea/**/tasks.xml
    .idea/**/usage.statistics.xml
    .idea/**/shelf/
    .idea/**/dictionaries/
    .idea/httpRequests/
    # What may hold passwords
    .idea/**/dataSources/
    .idea/**/dataSources.ids
    .idea/**/dataSources.local.xml
    .idea/**/sqlDataSources.xml
    # Build folders
    cmake-build-*/
    out/
    *.iws
  `,
  Julia: `
    # Coverage and profiles
    *.jl.cov
    *.jl.*.cov
    *.jl.mem
    # What building packages leaves
    deps/deps.jl
    deps/build.log
    docs/build/
    docs/site/
    # A library's exact versions
    Manifest.toml
  `,
  Kotlin: `
    *.class
    *.jar
    *.war
    *.log
    .gradle/
    .kotlin/
    build/
    out/
    hs_err_pid*
    replay_pid*
  `,
  LaTeX: `
    *.aux
    *.bbl
    *.bcf
    *.blg
    *.fdb_latexmk
    *.fls
    *.idx
    *.ilg
    *.ind
    *.lof
    *.log
    *.lot
    *.nav
    *.out
    *.run.xml
    *.snm
    *.synctex.gz
    *.toc
    *.vrb
    *.xdv
    _minted*/
  `,
  Lua: `
    luac.out
    *.luac
    *.src.rock
    *.rockspec.lock
    *.o
    *.so
    *.dll
    *.dylib
    /lua_modules/
    /.luarocks/
  `,
  Maven: `
    target/
    pom.xml.tag
    pom.xml.releaseBackup
    pom.xml.versionsBackup
    pom.xml.next
    release.properties
    dependency-reduced-pom.xml
    buildNumber.properties
    .mvn/timing.properties
    .flattened-pom.xml
  `,
  Node: `
    # Installed packages
    node_modules/
    jspm_packages/
    .pnpm-store/
    .yarn/*
    !.yarn/patches
    !.yarn/plugins
    !.yarn/releases
    !.yarn/versions
    .pnp.*
    # Build results and caches
    dist/
    .cache/
    .parcel-cache/
    .next/
    .nuxt/
    .output/
    .svelte-kit/
    *.tsbuildinfo
    .eslintcache
    # Coverage
    coverage/
    .nyc_output/
    # Logs and reports
    logs/
    *.log
    report.*.json
    # Settings of one machine
    .env
    .env.*
    !.env.example
  `,
  OCaml: `
    _build/
    _opam/
    *.annot
    *.cmo
    *.cma
    *.cmi
    *.cmt
    *.cmti
    *.cmx
    *.cmxs
    *.cmxa
    *.native
    *.byte
    *.install
    setup.data
    setup.log
  `,
  Perl: `
    /blib/
    /_build/
    /cover_db/
    /inc/
    /local/
    /nytprof/
    Build
    Build.bat
    Makefile
    Makefile.old
    MANIFEST.bak
    META.*
    MYMETA.*
    nytprof.out
    pm_to_blib
    *.o
    *.bs
  `,
  Python: `
    # Compiled code
    __pycache__/
    *.py[cod]
    *.so
    # Packages
    build/
    dist/
    eggs/
    .eggs/
    sdist/
    wheels/
    *.egg-info/
    *.egg
    # Environments
    .venv/
    venv/
    env/
    .env
    # Tests, coverage, checks
    .pytest_cache/
    .tox/
    .nox/
    .coverage
    .coverage.*
    htmlcov/
    .hypothesis/
    .mypy_cache/
    .ruff_cache/
    # Notebooks
    .ipynb_checkpoints/
    # Documents
    docs/_build/
    /site
  `,
  R: `
    .Rhistory
    .Rapp.history
    .RData
    .RDataTmp
    .Ruserdata
    .Rproj.user/
    .Renviron
    /*.Rcheck/
    /*.tar.gz
    *_cache/
    /cache/
    rsconnect/
  `,
  Ruby: `
    *.gem
    *.rbc
    /.config
    /.bundle/
    /vendor/bundle
    /coverage/
    /pkg/
    /tmp/
    /spec/reports/
    /spec/examples.txt
    /test/tmp/
    /.yardoc/
    /_yardoc/
    /doc/
    /rdoc/
    .byebug_history
    .rvmrc
  `,
  Rust: `
    # Build results
    target/
    debug/
    # Copies that rustfmt leaves
    **/*.rs.bk
    # Debugging information of MSVC
    *.pdb
    # Mutation tests
    mutants.out*/
  `,
  Scala: `
    *.class
    *.log
    target/
    project/project/
    project/target/
    .bloop/
    .bsp/
    .metals/
    metals.sbt
    .scala-build/
  `,
  Swift: `
    # Package manager
    .build/
    .swiftpm/
    Packages/
    # Xcode
    DerivedData/
    xcuserdata/
    *.xcuserstate
    *.ipa
    *.dSYM.zip
    *.dSYM
    # Carthage and CocoaPods
    Carthage/Build/
    Pods/
    # Fastlane
    fastlane/report.xml
    fastlane/Preview.html
    fastlane/screenshots/**/*.png
    fastlane/test_output
  `,
  Terraform: `
    # Providers and modules
    .terraform/
    # State, which holds secrets
    *.tfstate
    *.tfstate.*
    # Variables, which may hold secrets
    *.tfvars
    *.tfvars.json
    # Overrides of one machine
    override.tf
    override.tf.json
    *_override.tf
    *_override.tf.json
    # Settings of the program
    .terraformrc
    terraform.rc
    crash.log
    crash.*.log
  `,
  Vim: `
    # Swap files
    [._]*.s[a-v][a-z]
    [._]*.sw[a-p]
    [._]s[a-rt-v][a-z]
    [._]ss[a-gi-z]
    [._]sw[a-p]
    # Sessions
    Session.vim
    Sessionx.vim
    # Histories and copies
    .netrwhist
    *~
    [._]*.un~
    # Tags
    tags
  `,
  VisualStudioCode: `
    .vscode/*
    !.vscode/settings.json
    !.vscode/tasks.json
    !.vscode/launch.json
    !.vscode/extensions.json
    !.vscode/*.code-snippets
    .history/
    *.vsix
  `,
  Windows: `
    Thumbs.db
    Thumbs.db:encryptable
    ehthumbs.db
    [Dd]esktop.ini
    $RECYCLE.BIN/
    *.lnk
    *.stackdump
  `,
  Zig: `
    .zig-cache/
    zig-cache/
    zig-out/
    zig-pkg/
  `,
  macOS: `
    .DS_Store
    .AppleDouble
    .LSOverride
    ._*
    .Spotlight-V100
    .TemporaryItems
    .Trashes
    .fseventsd
  `,
}

/** Sorted without regard to case. */
export const gitignoreNames: readonly string[] = Object.keys(TEMPLATES).sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), "en"))

/** The text of a template, each line ended by a newline; undefined for a name that there is none of. */
export function gitignoreText(name: string): string | undefined {
  if (!Object.hasOwn(TEMPLATES, name)) return undefined
  const lines = (TEMPLATES[name] ?? "").trim().split("\n")
  return lines.map((line) => `${line.trim()}\n`).join("")
}
