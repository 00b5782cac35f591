import type { LfsOperation } from "../../features/code/lfs/passes.ts"
import type { Address } from "../../features/code/pushes/follow.ts"

/** What a client may request instead of a shell. */
export type Command =
  | { readonly kind: "fetch" | "push"; readonly address: Address }
  | { readonly kind: "lfs"; readonly address: Address; readonly operation: LfsOperation }
  | { readonly kind: "info" }
  | { readonly kind: "refused"; readonly words: string }

const REFUSED: ReadonlyMap<string, string> = new Map([
  ["git-upload-archive", "git archive --remote is not offered here; clone the repository and make the archive there."],
  ["git-lfs-transfer", "large files go over HTTP here; git-lfs does so by itself."],
])

/** Reads a client's command line: git's own commands with a repository, quoted as git does it. Everything else is refused with a message. */
export function readCommand(line: string): Command {
  const [first = "", second = "", ...more] = words(line) ?? []
  // Old versions of git write a blank instead of the first dash.
  const [verb, args] = first === "git" ? [`git-${second}`, more] : [first, [second, ...more]]
  if (line === "ssh_info") return { kind: "info" }
  const refused = REFUSED.get(verb)
  if (refused !== undefined) return { kind: "refused", words: refused }
  if (verb === "git-lfs-authenticate") return readLfs(args)
  const kind = verb === "git-upload-pack" ? "fetch" : verb === "git-receive-pack" ? "push" : undefined
  if (kind === undefined) return { kind: "refused", words: "this command is not offered here; only git can be used." }
  const address = readPath(args.length === 1 ? (args[0] ?? "") : "")
  return address ? { kind, address } : { kind: "refused", words: "give a repository as owner/name.git" }
}

/** A repository and the operation on its large files; older clients send a third argument, which is ignored. */
function readLfs([path = "", operation]: readonly string[]): Command {
  const address = readPath(path)
  if (!address) return { kind: "refused", words: "give a repository as owner/name.git" }
  if (operation !== "upload" && operation !== "download") return { kind: "refused", words: "say whether to upload or download" }
  return { kind: "lfs", address, operation }
}

/** `owner/name.git`, as in both forms of addresses. */
function readPath(path: string): Address | undefined {
  const [, owner = "", last = ""] = /^\/?([^/\0]+)\/([^/\0]+)\/?$/.exec(path) ?? []
  const name = last.replace(/\.git$/i, "")
  return name === "" ? undefined : { owner, name }
}

/** Splits a line that was quoted for a shell, without any other shell syntax; undefined for an unclosed quote. */
function words(line: string): readonly string[] | undefined {
  const found: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ""
    if (character === "'") {
      const end = line.indexOf("'", at + 1)
      if (end === -1) return undefined
      word = (word ?? "") + line.slice(at + 1, end)
      at = end
    } else if (character === "\\") {
      at += 1
      word = (word ?? "") + (line[at] ?? "")
    } else if (character === " " || character === "\t") {
      if (word !== undefined) found.push(word)
      word = undefined
    } else word = (word ?? "") + character
  }
  return word === undefined ? found : [...found, word]
}
