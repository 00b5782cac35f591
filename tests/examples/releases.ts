import { type Person, times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

interface Ground {
  readonly owner: Person
  readonly authorization: string
  readonly path: { readonly owner: string; readonly repo: string }
  /** Below the repository's own address. */
  readonly must: <T>(route: string, body?: unknown) => Promise<T>
}

/** A repository with a file, called upon by its owner. */
async function ground(world: World, files: Readonly<Record<string, string>> = { "a.txt": "a\n" }): Promise<Ground> {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const must: Ground["must"] = (route, body) => {
    const [method = "", path = ""] = route.split(" ")
    return world.must(owner, `${method} /repos/${name}/${repo}${path}`, body)
  }
  for (const [file, text] of Object.entries(files)) await must(`POST /contents/${file}`, { content: base64(text) })
  return { owner, authorization: owner.authorization, path: { owner: name, repo }, must }
}

const call = ({ authorization, path }: Ground, more: Readonly<Record<string, string | number>> = {}) => ({
  authorization,
  path: { ...path, ...more },
})

async function tagged(world: World, size = 1) {
  const made = await ground(world)
  const tags = await times(size, (index) => made.must<{ id: string }>("POST /tags", { tag_name: `v${index}`, message: `Tag ${index}` }))
  return { made, sha: tags[0]?.id ?? "" }
}

async function released(world: World, size = 1) {
  const made = await ground(world)
  const releases = await times(size, (index) =>
    made.must<{ id: number }>("POST /releases", { tag_name: `v${index}`, name: `Number ${index}` }),
  )
  return { made, id: releases[0]?.id ?? 0 }
}

const file = (): FormData => {
  const form = new FormData()
  form.append("attachment", new Blob(["bytes"]), "tool.zip")
  return form
}

async function withAsset(world: World) {
  const { made, id } = await released(world)
  const asset = await made.must<{ id: number }>(`POST /releases/${id}/assets`, file())
  return call(made, { id, attachment_id: asset.id })
}

const CONFIGURED = {
  ".editorconfig": "root = true\n[*]\nindent_style = space\n",
  ".gitea/issue_template/bug.md": "---\nname: Bug\nabout: Something is wrong\n---\nWhat is wrong?\n",
  ".gitea/issue_template/config.yaml": "blank_issues_enabled: false\n",
}

export const releaseExamples: Examples = {
  repoListTags: async (world, size) => call((await tagged(world, size)).made),
  repoGetTag: async (world) => call((await tagged(world)).made, { tag: "v0" }),
  GetAnnotatedTag: async (world) => {
    const { made, sha } = await tagged(world)
    return call(made, { sha })
  },
  repoCreateTag: async (world) => ({ ...call(await ground(world)), body: { tag_name: "v1", message: "The first" } }),
  repoDeleteTag: async (world) => call((await tagged(world)).made, { tag: "v0" }),

  repoListReleases: async (world, size) => call((await released(world, size)).made),
  repoGetLatestRelease: async (world) => call((await released(world)).made),
  repoGetReleaseByTag: async (world) => call((await released(world)).made, { tag: "v0" }),
  repoGetRelease: async (world) => {
    const { made, id } = await released(world)
    return call(made, { id })
  },
  repoCreateRelease: async (world) => ({ ...call(await ground(world)), body: { tag_name: "v1", name: "One", body: "It works" } }),
  repoEditRelease: async (world) => {
    const made = await ground(world)
    const { id } = await made.must<{ id: number }>("POST /releases", { tag_name: "v1", draft: true })
    return { ...call(made, { id }), body: { draft: false, name: "One" } }
  },
  repoDeleteRelease: async (world) => {
    const { made, id } = await released(world)
    return call(made, { id })
  },
  repoDeleteReleaseByTag: async (world) => call((await released(world)).made, { tag: "v0" }),

  repoListReleaseAttachments: async (world) => withAsset(world),
  repoGetReleaseAttachment: async (world) => withAsset(world),
  repoCreateReleaseAttachment: async (world) => {
    const { made, id } = await released(world)
    return { ...call(made, { id }), body: file() }
  },
  repoEditReleaseAttachment: async (world) => ({ ...(await withAsset(world)), body: { name: "other.zip" } }),
  repoDeleteReleaseAttachment: async (world) => withAsset(world),

  repoGetArchive: async (world) => call(await ground(world), { archive: "main.zip" }),
  repoGetLicenses: async (world) => call(await ground(world)),
  repoGetEditorConfig: async (world) => call(await ground(world, CONFIGURED), { filepath: "src/a.ts" }),
  repoGetIssueTemplates: async (world) => call(await ground(world, CONFIGURED)),
  repoGetIssueConfig: async (world) => call(await ground(world, CONFIGURED)),
  repoValidateIssueConfig: async (world) => call(await ground(world, CONFIGURED)),
  // The site signs nothing.
  repoSigningKey: async (world) => ({ ...call(await ground(world)), status: 404 }),
  repoSigningKeySSH: async (world) => ({ ...call(await ground(world)), status: 404 }),
}
