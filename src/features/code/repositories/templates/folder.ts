import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** The templates of one kind: files with the same extension in one folder. */
export interface Templates {
  /** The names without the extension, sorted ignoring case. The folder is listed at the first call. */
  readonly names: () => Promise<readonly string[]>
  /** The content of a template, read at each call; undefined for an unknown name. */
  readonly text: (name: string) => Promise<string | undefined>
}

export function templatesIn(folder: string, ending: string): Templates {
  let listed: Promise<ReadonlySet<string>> | undefined
  const list = () => {
    listed ??= readdir(folder).then((files) => {
      const names = files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length))
      return new Set(names.sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), "en")))
    })
    return listed
  }
  return {
    names: async () => [...(await list())],
    // Only listed names become paths.
    text: async (name) => ((await list()).has(name) ? readFile(join(folder, `${name}${ending}`), "utf8") : undefined),
  }
}
