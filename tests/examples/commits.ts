import { refName } from "../../src/git/index.ts"
import type { World } from "../support/world.ts"
import type { Examples, MakeExample } from "./example.ts"
import { type MadePull, withPulls } from "./pulls.ts"

const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** A repository with so many commits on main, and one more on `side`; gives the ids of those on main, oldest first. */
async function committed(world: World, size = 1) {
  const owner = await world.person()
  const { id: repositoryId, owner: name, repo } = await world.repository(owner)
  const at = `/repos/${name}/${repo}`
  const commit = async (path: string, more: object = {}) => {
    const made = await world.must<{ readonly commit: { readonly sha: string } }>(owner, `POST ${at}/contents/${path}`, {
      content: base64(`${path}\n`),
      ...more,
    })
    return made.commit.sha
  }
  const ids: string[] = []
  for (let index = 0; index < size; index++) ids.push(await commit(`brick-${index}.txt`))
  await commit("side.txt", { new_branch: "side" })
  return { owner, repositoryId, at, authorization: owner.authorization, path: { owner: name, repo }, ids }
}

const onTip: MakeExample = async (world) => {
  const { authorization, path, ids } = await committed(world)
  return { authorization, path: { ...path, sha: ids[0] ?? "", diffType: "diff" } }
}

/** A commit with this many statuses. */
async function checked(world: World, size = 1) {
  const made = await committed(world)
  for (let index = 0; index < size; index++)
    await world.must(made.owner, `POST ${made.at}/statuses/${made.ids[0]}`, { state: "success", context: `check ${index}` })
  const { authorization, path, ids } = made
  return { authorization, path: { ...path, sha: ids[0] ?? "", ref: "main" } }
}

export const commitExamples: Examples = {
  repoGetAllCommits: async (world, size) => {
    const { authorization, path } = await committed(world, size)
    return { authorization, path }
  },
  repoGetSingleCommit: onTip,
  repoDownloadCommitDiffOrPatch: onTip,
  repoGetNote: async (world) => {
    const { authorization, path, ids, repositoryId } = await committed(world)
    const { database, git } = world.hearth.services
    const row = await database.read.selectFrom("repositories").selectAll().where("id", "=", repositoryId).executeTakeFirstOrThrow()
    const repository = git.at(row.storage, row.object_format)
    const note = await git.objects.writeBlob(repository, "Noted\n")
    const tree = await git.objects.writeTree(repository, [{ mode: "100644", name: ids[0] ?? "", id: note }])
    const who = { name: "Ada", email: "ada@example.com", when: 1_700_000_000, offset: 0 }
    const to = await git.objects.writeCommit(repository, { tree, parents: [], author: who, committer: who, message: "Note\n" })
    await git.references.update(repository, [{ name: refName("refs/notes/commits"), to }])
    return { authorization, path: { ...path, sha: ids[0] ?? "" } }
  },
  repoCompareDiff: async (world) => {
    const { authorization, path } = await committed(world)
    return { authorization, path: { ...path, basehead: "main...side" } }
  },
  repoGetCommitPullRequest: async (world) => {
    const { owner, at, authorization, path, pulls } = await withPulls(world)
    const pull = `${at}/pulls/${pulls[0]?.number}`
    await world.must(owner, `POST ${pull}/merge`, { Do: "merge" })
    const { merge_commit_sha: sha } = await world.must<MadePull & { readonly merge_commit_sha: string }>(owner, `GET ${pull}`)
    return { authorization, path: { ...path, sha } }
  },
  repoCreateStatus: async (world) => {
    const { authorization, path } = await checked(world)
    return {
      authorization,
      path,
      body: { state: "failure", context: "check 0", description: "broken", target_url: "https://ci.example.org/1" },
    }
  },
  repoListStatuses: checked,
  repoListStatusesByRef: checked,
  repoGetCombinedStatusByRef: checked,
  repoApplyDiffPatch: async (world) => {
    const { authorization, path } = await committed(world)
    return { authorization, path, body: { content: "--- a/brick-0.txt\n+++ b/brick-0.txt\n@@ -1 +1,2 @@\n brick-0.txt\n+mortar\n" } }
  },
}
