/** Which of highlight.js's grammars is for which file. Nothing is loaded by this. */

/** Grammars, with what else they are called: names of languages, endings of files, and words after the fence of a code block. */
const NAMES = {
  actionscript: "as",
  ada: "adb ads",
  apache: "apacheconf htaccess",
  applescript: "osascript scpt",
  arduino: "ino",
  armasm: "arm",
  asciidoc: "adoc asc",
  autohotkey: "ahk",
  awk: "gawk",
  bash: "shell sh zsh ksh fish bats ebuild shell-script",
  bnf: "",
  brainfuck: "bf",
  c: "h",
  capnproto: "capnp",
  clojure: "clj cljs cljc edn",
  cmake: "cmake.in",
  coffeescript: "coffee cson iced",
  coq: "",
  cpp: "c++ cc cxx h++ hpp hh hxx ipp cuda cu cuh",
  crystal: "cr",
  csharp: "c# cs csx",
  css: "",
  d: "",
  dart: "",
  delphi: "pascal pas dpr dfm pp",
  diff: "patch rej",
  django: "jinja jinja2 j2",
  dns: "bind zone",
  dockerfile: "docker containerfile",
  dos: "batchfile bat cmd batch",
  ebnf: "",
  elixir: "ex exs",
  elm: "",
  erb: "",
  erlang: "erl hrl",
  fortran: "f f90 f95 for",
  fsharp: "f# fs fsi fsx",
  gcode: "nc",
  gherkin: "feature",
  glsl: "frag vert",
  go: "golang",
  gradle: "",
  graphql: "gql",
  groovy: "",
  haml: "",
  handlebars: "hbs mustache",
  haskell: "hs lhs",
  haxe: "hx",
  ini: "toml cfg conf editorconfig gitconfig gitmodules desktop service",
  java: "jsp",
  javascript: "js jsx mjs cjs node",
  json: "jsonc json5 geojson webmanifest ipynb jsonl har",
  julia: "jl",
  kotlin: "kt kts",
  latex: "tex sty cls",
  less: "",
  lisp: "common-lisp common lsp emacs-lisp el",
  livescript: "ls",
  llvm: "ll",
  lua: "",
  makefile: "make mk mak gnumakefile",
  markdown: "md mkd mkdown mdx",
  mathematica: "wl mma",
  matlab: "octave",
  nginx: "nginxconf",
  nim: "nims",
  nix: "nixos",
  objectivec: "objective-c objective-c++ objc m mm",
  ocaml: "ml mli",
  openscad: "scad",
  perl: "pl pm",
  pgsql: "postgres postgresql plpgsql",
  php: "phtml",
  powershell: "ps1 psm1 psd1 pwsh",
  prolog: "pro",
  properties: "",
  protobuf: "proto",
  puppet: "",
  python: "py pyi pyw gyp bzl starlark",
  qml: "",
  r: "",
  reasonml: "re rei",
  ruby: "rb rake gemspec podspec ru gemfile rakefile vagrantfile",
  rust: "rs",
  scala: "sbt sc",
  scheme: "scm ss racket rkt",
  scss: "sass",
  smalltalk: "",
  sml: "",
  sql: "mysql sqlite",
  stylus: "styl",
  swift: "",
  tcl: "tk",
  thrift: "",
  twig: "",
  typescript: "ts tsx mts cts",
  vala: "vapi",
  vbnet: "vb visual-basic-.net",
  verilog: "v sv svh systemverilog",
  vhdl: "vhd",
  vim: "vim-script viml vimrc",
  wasm: "wat webassembly",
  x86asm: "assembly asm nasm s",
  xml: "html htm xhtml svg xsd xsl xslt rss atom plist vue svelte astro csproj fsproj vbproj props targets wsdl xaml resx",
  yaml: "yml cff",
  zephir: "zep",
} as const satisfies Readonly<Record<string, string>>

export type Grammar = keyof typeof NAMES

export const GRAMMARS: readonly Grammar[] = Object.keys(NAMES).filter((name): name is Grammar => Object.hasOwn(NAMES, name))

/** Those that occur inside of others. What is not listed here stays plain there, so that a file always looks the same. */
const INSIDE: Readonly<Partial<Record<Grammar, readonly Grammar[]>>> = {
  asciidoc: ["xml"],
  coffeescript: ["javascript"],
  dart: ["markdown"],
  django: ["xml"],
  dockerfile: ["bash"],
  erb: ["xml", "ruby"],
  haml: ["ruby"],
  handlebars: ["xml"],
  javascript: ["xml", "css", "graphql"],
  livescript: ["javascript"],
  markdown: ["xml"],
  qml: ["xml"],
  twig: ["xml"],
  typescript: ["xml", "css", "graphql"],
  xml: ["css", "javascript"],
}

/** A grammar with all that it uses. */
export const withInside = (grammar: Grammar): readonly Grammar[] => [grammar, ...(INSIDE[grammar] ?? [])]

const BY_NAME = new Map<string, Grammar>(
  GRAMMARS.flatMap((grammar) => [grammar, ...NAMES[grammar].split(" ")].filter(Boolean).map((name) => [name, grammar] as const)),
)

/** Files whose name says what they are. */
const BY_FILE: ReadonlyMap<string, Grammar> = new Map<string, Grammar>([
  ["cmakelists.txt", "cmake"],
  ["codeowners", "properties"],
  ["go.mod", "go"],
  ["jenkinsfile", "groovy"],
  ["justfile", "makefile"],
  ["nginx.conf", "nginx"],
  ["package.resolved", "json"],
  ["pkgbuild", "bash"],
  ["poetry.lock", "ini"],
  ["cargo.lock", "ini"],
  ["yarn.lock", "yaml"],
  ["composer.lock", "json"],
  ["flake.lock", "json"],
  ["pipfile", "ini"],
  ["pipfile.lock", "json"],
  [".bashrc", "bash"],
  [".profile", "bash"],
  [".zshrc", "bash"],
  [".env", "bash"],
  [".prettierrc", "json"],
  [".eslintrc", "json"],
  [".babelrc", "json"],
  [".npmrc", "ini"],
  [".swcrc", "json"],
])

/** The longest names that are looked at. */
const LONGEST = 400

/** The grammar that a language or an ending is called by. */
export const grammarNamed = (name: string): Grammar | undefined =>
  name.length > LONGEST ? undefined : BY_NAME.get(name.trim().toLowerCase().replaceAll(" ", "-"))

/** The grammar for a file, by its own name: the last part of its path. */
export function grammarOfFile(path: string): Grammar | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const known = BY_FILE.get(name)
  if (known || name.length > LONGEST) return known
  const ending = name.slice(name.lastIndexOf(".") + 1)
  return BY_NAME.get(ending) ?? BY_NAME.get(name.slice(0, Math.max(0, name.indexOf("."))))
}
