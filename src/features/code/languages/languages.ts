import type { Git, ObjectId, Repository, TreeEntry } from "../../../git/index.ts"
import type { LanguageBytes } from "./store.ts"

/** Programming languages by file extension. Prose and data formats are left out. */
const BY_ENDING: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    Ada: "adb ads",
    Assembly: "asm s",
    Astro: "astro",
    Awk: "awk",
    Batchfile: "bat cmd",
    C: "c h",
    "C#": "cs csx",
    "C++": "cc cpp cxx hh hpp hxx",
    Clojure: "clj cljc cljs",
    CMake: "cmake",
    CoffeeScript: "coffee",
    "Common Lisp": "lisp lsp",
    Crystal: "cr",
    CSS: "css",
    Cuda: "cu cuh",
    D: "d",
    Dart: "dart",
    Elixir: "ex exs",
    Elm: "elm",
    "Emacs Lisp": "el",
    Erlang: "erl hrl",
    "F#": "fs fsi fsx",
    Fortran: "f f90 f95 for",
    GLSL: "frag glsl vert",
    Go: "go",
    Groovy: "gradle groovy",
    Haskell: "hs lhs",
    HCL: "hcl tf",
    HTML: "htm html xhtml",
    Java: "java",
    JavaScript: "cjs js jsx mjs",
    Julia: "jl",
    Kotlin: "kt kts",
    Less: "less",
    Lua: "lua",
    Makefile: "mk",
    Nim: "nim",
    Nix: "nix",
    "Objective-C": "m",
    "Objective-C++": "mm",
    OCaml: "ml mli",
    Pascal: "pas",
    Perl: "pl pm",
    PHP: "php phtml",
    PowerShell: "ps1 psm1",
    Prolog: "pro",
    Python: "py pyi pyw",
    R: "r",
    Racket: "rkt",
    Ruby: "gemspec rake rb ru",
    Rust: "rs",
    Sass: "sass",
    Scala: "sbt scala",
    Scheme: "scm ss",
    SCSS: "scss",
    Shell: "bash fish ksh sh zsh",
    Solidity: "sol",
    Svelte: "svelte",
    Swift: "swift",
    SystemVerilog: "sv svh",
    Tcl: "tcl",
    TeX: "cls sty tex",
    TypeScript: "cts mts ts tsx",
    "Vim Script": "vim",
    "Visual Basic .NET": "vb",
    Verilog: "v",
    VHDL: "vhd vhdl",
    Vue: "vue",
    WebAssembly: "wat",
    Zig: "zig",
  }).flatMap(([language, endings]) => endings.split(" ").map((ending) => [ending, language])),
)

const BY_NAME: Readonly<Record<string, string>> = {
  "cmakelists.txt": "CMake",
  dockerfile: "Dockerfile",
  gemfile: "Ruby",
  gnumakefile: "Makefile",
  makefile: "Makefile",
  rakefile: "Ruby",
}

/** Directories of third-party or generated files. */
const FOREIGN = /^(node_modules|vendor|third[-_]party|bower_components|dist|docs?|documentation)$/i
/** Generated files. */
const MADE = /\.min\.(js|css)$|\.pb\.go$/i

/** The language of a file by its name alone, or undefined. */
export function languageOf(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (MADE.test(lower)) return undefined
  if (Object.hasOwn(BY_NAME, lower)) return BY_NAME[lower]
  const ending = lower.slice(lower.lastIndexOf(".") + 1)
  return lower.includes(".") && Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined
}

/** A limit on how many objects are read. */
export interface Budget {
  /** Takes one; false if none are left. */
  readonly take: () => boolean
  /** Whether more were requested than available. */
  readonly spent: () => boolean
}

export function budgetOf(objects: number): Budget {
  let left = objects
  return { take: () => left-- > 0, spent: () => left < 0 }
}

type Change = ReadonlyMap<string, number>
const NOTHING: Change = new Map()

/**
 * How many bytes of each language were added (or, if negative, removed) from one tree to another; null stands for an empty one. Only what
 * differs is read, by file names and sizes; no content is. Each pair of directories is read once, however often it occurs. When the
 * budget is spent, the rest counts as nothing.
 */
export async function countChange(
  git: Git,
  repository: Repository,
  from: ObjectId | null,
  to: ObjectId | null,
  budget: Budget,
): Promise<Change> {
  const known = new Map<string, Promise<Change>>()

  function between(old: ObjectId | null, now: ObjectId | null): Promise<Change> {
    if (old === now) return Promise.resolve(NOTHING)
    const key = `${old} ${now}`
    const counted = known.get(key) ?? count(old, now)
    known.set(key, counted)
    return counted
  }

  const read = async (tree: ObjectId | null): Promise<ReadonlyMap<string, TreeEntry>> => {
    if (tree === null || !budget.take()) return new Map()
    return new Map((await git.objects.readTree(repository, tree)).map((entry) => [entry.name, entry]))
  }

  async function count(old: ObjectId | null, now: ObjectId | null): Promise<Change> {
    const sum = new Map<string, number>()
    const [before, after] = [await read(old), await read(now)]
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)]
      if (was?.id === is?.id && was?.mode === is?.mode) continue
      if (!FOREIGN.test(name) && !name.startsWith("."))
        for (const [language, bytes] of await between(treeOf(was), treeOf(is))) add(sum, language, bytes)
      const language = languageOf(name)
      if (language === undefined) continue
      add(sum, language, (await sizeOf(is)) - (await sizeOf(was)))
    }
    return sum
  }

  async function sizeOf(entry: TreeEntry | undefined): Promise<number> {
    if ((entry?.mode !== "100644" && entry?.mode !== "100755") || !budget.take()) return 0
    return (await git.objects.info(repository, entry.id))?.size ?? 0
  }

  return between(from, to)
}

const treeOf = (entry: TreeEntry | undefined): ObjectId | null => (entry?.mode === "40000" ? entry.id : null)

/** A tree that repeats subtrees many times can represent more bytes than a safe integer. */
function add(sum: Map<string, number>, language: string, bytes: number): void {
  const most = Number.MAX_SAFE_INTEGER
  sum.set(language, Math.max(-most, Math.min(most, (sum.get(language) ?? 0) + bytes)))
}

/** The counts after a change, largest first. */
export function changed(bytes: LanguageBytes, change: Change): LanguageBytes {
  const sum = new Map(Object.entries(bytes))
  for (const [language, more] of change) add(sum, language, more)
  return Object.fromEntries([...sum].filter(([, size]) => size > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))
}
