import { describe, expect, it } from "vitest"
import { indexPaths, searchPaths } from "./fuzzy.ts"

const PATHS = [
  "README.md",
  "src/file-view.ts",
  "src/file-view.test.ts",
  "src/files/fever.ts",
  "docs/İndex.md",
  "src/parts/FileView.css",
  "a/view/of/file.txt",
]

function find(text: string, { paths = PATHS, limit = 10, preferred = new Set<string>() } = {}): readonly string[] {
  const search = searchPaths(indexPaths(paths), text, { limit, preferred })
  search.scan(0, paths.length)
  return search
    .found()
    .map(({ path, marked }) => path.replace(/./gs, (letter, at: number) => (marked.includes(at) ? `[${letter}]` : letter)))
}

describe("finding paths", () => {
  it("goes by letters in order, and marks them", () => {
    expect(find("fvts")[0]).toBe("src/[f]ile-[v]iew.[t][s]")
    expect(find("readme")).toEqual(["[R][E][A][D][M][E].md"])
    expect(find("vstf")).toEqual([])
  })

  it("prefers names, wholes and beginnings of words, then shorter paths, and what was opened before", () => {
    expect(find("fileview").map((path) => path.replace(/[[\]]/g, ""))).toEqual([
      "src/parts/FileView.css",
      "src/file-view.ts",
      "src/file-view.test.ts",
    ])
    expect(find("file-view", { limit: 1 })).toEqual(["src/[f][i][l][e][-][v][i][e][w].ts"])
    const preferred = new Set(["src/file-view.test.ts"])
    expect(find("file-view", { limit: 1, preferred })[0]).toContain("test")
  })

  it("takes words in any order, each of which must be found", () => {
    expect(find("txt view")).toEqual(["a/[v][i][e][w]/of/file.[t][x][t]"])
    expect(find("view nowhere")).toEqual([])
    expect(find("  ").length).toBe(PATHS.length)
  })

  it("keeps places where the small letter is longer, and looks at those alone that are given", () => {
    expect(find("ndex")).toEqual(["docs/İ[n][d][e][x].md"])
    const index = indexPaths(PATHS)
    const first = searchPaths(index, "f", { limit: 1 })
    first.scan(0, PATHS.length)
    expect(first.found()).toHaveLength(1)
    const among = first.matching()
    const longer = searchPaths(index, "fever", { limit: 5, among })
    longer.scan(0, among.length)
    expect(longer.found().map(({ path }) => path)).toEqual(["src/files/fever.ts"])
  })
})
