import { type Person, times, type World } from "../support/world.ts"
import type { Examples, MakeExample } from "./example.ts"

interface Made {
  readonly number: number
}

/** A repository with this many issues, each with all members set. */
async function withIssues(world: World, size: number) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const at = `/repos/${name}/${repo}`
  const label = await world.must<{ readonly id: number }>(owner, `POST ${at}/labels`, { name: "bug", color: "#ee0701" })
  const milestone = await world.must<{ readonly id: number }>(owner, `POST ${at}/milestones`, { title: "first" })
  const issues = await times(size, () =>
    world.must<Made>(owner, `POST ${at}/issues`, {
      title: world.unique("lantern"),
      body: "It flickers.",
      assignees: [name],
      labels: [label.id],
      milestone: milestone.id,
    }),
  )
  const index = issues[0]?.number ?? 0
  return { owner, at, authorization: owner.authorization, path: { owner: name, repo, index, assignee: name } }
}

const call = async (world: World, size = 1) => {
  const { authorization, path } = await withIssues(world, size)
  return { authorization, path }
}
const plain: MakeExample = (world, size) => call(world, size)

/** An issue after a call on it. */
const after =
  (method: string, path: string): MakeExample =>
  async (world) => {
    const { owner, at, authorization, path: on } = await withIssues(world, 1)
    await world.must(owner, `${method} ${at}/issues/${on.index}${path}`)
    return { authorization, path: on }
  }

const sending =
  (body: object): MakeExample =>
  async (world) => ({ ...(await call(world)), body })

/** Limited to one owner, so that the other examples don't interfere. */
const ofOwner = (person: Person) => ({ owner: person.name })

export const issueExamples: Examples = {
  issueCreateIssue: async (world) => {
    const { authorization, path } = await call(world)
    return {
      authorization,
      path,
      body: { title: "Broken lantern", body: "see #1", assignees: [path.owner], due_date: "2031-05-06T00:00:00Z" },
    }
  },
  issueListIssues: plain,
  issueSearchIssues: async (world, size) => {
    const { owner, authorization } = await withIssues(world, size)
    return { authorization, query: { ...ofOwner(owner), q: "lantern" } }
  },
  issueGetIssue: plain,
  issueEditIssue: sending({ title: "Mended", body: "It shines.", state: "closed", content_version: 0 }),
  issueDelete: plain,
  issueEditIssueDeadline: sending({ due_date: "2031-05-06T00:00:00Z" }),
  issueLockIssue: sending({ lock_reason: "heated" }),
  issueUnlockIssue: after("PUT", "/lock"),
  pinIssue: plain,
  unpinIssue: after("POST", "/pin"),
  moveIssuePin: async (world) => {
    const { owner, at, authorization, path } = await withIssues(world, 2)
    for (const number of [path.index, path.index + 1]) await world.must(owner, `POST ${at}/issues/${number}/pin`)
    return { authorization, path: { ...path, position: 2 } }
  },
  repoListPinnedIssues: async (world) => {
    const { owner, at, authorization, path } = await withIssues(world, 3)
    for (const number of [path.index, path.index + 1, path.index + 2]) await world.must(owner, `POST ${at}/issues/${number}/pin`)
    return { authorization, path }
  },
  repoNewPinAllowed: plain,
  issueAddAssignees: async (world) => {
    const { owner, at, authorization, path } = await withIssues(world, 1)
    await world.must(owner, `PATCH ${at}/issues/${path.index}`, { assignees: [] })
    return { authorization, path, body: { assignees: [path.owner] } }
  },
  issueRemoveAssignees: async (world) => {
    const { authorization, path } = await call(world)
    return { authorization, path, body: { assignees: [path.owner] } }
  },
  issueCheckAssignee: plain,
  repoGetAssignees: async (world, size) => {
    const { owner, at, authorization, path } = await withIssues(world, 1)
    for (const { name } of await world.crowd(size)) await world.must(owner, `PUT ${at}/collaborators/${name}`, { permission: "write" })
    return { authorization, path }
  },
  repoCheckAssignee: plain,
}
