import type { Repository, World } from "../support/world.ts"
import type { Examples } from "./example.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

interface Made {
  readonly content: { readonly sha: string }
}

/** A repository with so many source files at its root, called upon by its owner, and the id of the first one's blob. */
async function filled(world: World, size = 1) {
  const owner = await world.person()
  const { owner: name, repo }: Repository = await world.repository(owner)
  let first = ""
  for (let index = 0; index < size; index++) {
    const { content } = await world.must<Made>(owner, `POST /repos/${name}/${repo}/contents/src${index}.go`, {
      content: base64(`package p${index}\n`),
    })
    first ||= content.sha
  }
  return { authorization: owner.authorization, path: { owner: name, repo, filepath: "src0.go" }, sha: first }
}

/** The call without what only bodies name. */
const call = async (world: World, size?: number) => {
  const { authorization, path } = await filled(world, size)
  return { authorization, path }
}

export const contentsExamples: Examples = {
  repoGetContentsList: call,
  repoGetContents: (world) => call(world),
  repoGetContentsExtList: async (world) => ({ ...(await call(world)), query: { includes: "commit_metadata" } }),
  repoGetContentsExt: async (world) => ({ ...(await call(world)), query: { includes: "file_content,commit_metadata" } }),
  repoGetFileContents: async (world) => ({ ...(await call(world)), query: { body: JSON.stringify({ files: ["src0.go", "missing"] }) } }),
  repoGetFileContentsPost: async (world) => ({ ...(await call(world)), body: { files: ["src0.go", "missing"] } }),
  repoRenderMarkdown: async (world) => ({ ...(await call(world)), body: { Text: "# Tea" } }),
  repoRenderMarkdownRaw: async (world) => ({ ...(await call(world)), body: "# Tea" }),
  repoRenderMarkup: async (world) => ({ ...(await call(world)), body: { Text: "# Tea", Mode: "file", FilePath: "README.md" } }),
  repoGetRawFile: (world) => call(world),
  repoGetRawFileOrLFS: (world) => call(world),
  repoGetLanguages: (world) => call(world),
  GetTree: async (world, size) => {
    const { authorization, path } = await filled(world, size)
    return { authorization, path: { ...path, sha: "main" } }
  },
  GetBlob: async (world) => {
    const { authorization, path, sha } = await filled(world)
    return { authorization, path: { ...path, sha } }
  },
  repoChangeFiles: async (world) => ({
    ...(await call(world)),
    body: { files: [{ operation: "create", path: "docs/new.txt", content: base64("new\n") }] },
  }),
  repoCreateFile: async (world) => {
    const { authorization, path } = await filled(world)
    return { authorization, path: { ...path, filepath: "docs/new.txt" }, body: { content: base64("new\n") } }
  },
  repoUpdateFile: async (world) => {
    const { sha, ...rest } = await filled(world)
    return { ...rest, body: { content: base64("package q\n"), sha } }
  },
  repoDeleteFile: async (world) => {
    const { sha, ...rest } = await filled(world)
    return { ...rest, body: { sha } }
  },
}
