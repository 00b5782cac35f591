import { type Person, times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

interface Made {
  readonly id: number
}

const as = (person: Person) => ({ authorization: person.authorization })
const COLOR = { color: "#00aabb" }

/** A repository with so many labels. */
async function inRepository(world: World, size: number) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const labels = await times(size, () =>
    world.must<Made>(owner, `POST /repos/${name}/${repo}/labels`, { name: world.unique("area/label"), exclusive: true, ...COLOR }),
  )
  return { owner, ...as(owner), path: { owner: name, repo, id: labels[0]?.id ?? 0 } }
}

/** An organisation with so many labels. */
async function inOrganization(world: World, size: number) {
  const { name, owner } = await world.organization(await world.person())
  const labels = await times(size, () =>
    world.must<Made>(owner, `POST /orgs/${name}/labels`, { name: world.unique("area/label"), exclusive: true, ...COLOR }),
  )
  return { ...as(owner), path: { org: name, id: labels[0]?.id ?? 0 } }
}

/** An issue with the first of two labels; they are exclusive, so one replaces the other. */
async function onIssue(world: World) {
  const { owner, authorization, path } = await inRepository(world, 2)
  const at = `/repos/${path.owner}/${path.repo}`
  const { number } = await world.must<{ readonly number: number }>(owner, `POST ${at}/issues`, { title: "labelled", labels: [path.id] })
  const others = await world.must<readonly Made[]>(owner, `GET ${at}/labels`)
  const other = others.find(({ id }) => id !== path.id)?.id ?? 0
  return { call: { authorization, path: { ...path, index: number } }, other }
}

export const labelExamples: Examples = {
  issueListLabels: async (world, size) => {
    const { authorization, path } = await inRepository(world, size)
    return { authorization, path }
  },
  issueGetLabel: async (world) => {
    const { authorization, path } = await inRepository(world, 1)
    return { authorization, path }
  },
  issueCreateLabel: async (world) => {
    const { authorization, path } = await inRepository(world, 0)
    return { authorization, path, body: { name: "area/new", description: "words", exclusive: true, is_archived: true, ...COLOR } }
  },
  issueEditLabel: async (world) => {
    const { authorization, path } = await inRepository(world, 1)
    return { authorization, path, body: { name: "other", description: "words", exclusive: false, is_archived: true, color: "abc" } }
  },
  issueDeleteLabel: async (world) => (await onIssue(world)).call,
  orgListLabels: inOrganization,
  orgGetLabel: (world) => inOrganization(world, 1),
  orgCreateLabel: async (world) => ({ ...(await inOrganization(world, 0)), body: { name: "new", ...COLOR } }),
  orgEditLabel: async (world) => ({ ...(await inOrganization(world, 1)), body: { name: "other", is_archived: true, color: "abc" } }),
  orgDeleteLabel: (world) => inOrganization(world, 1),
  issueGetLabels: async (world) => (await onIssue(world)).call,
  issueAddLabel: async (world) => {
    const { call, other } = await onIssue(world)
    return { ...call, body: { labels: [other] } }
  },
  issueReplaceLabels: async (world) => {
    const { call, other } = await onIssue(world)
    return { ...call, body: { labels: [other] } }
  },
  issueClearLabels: async (world) => (await onIssue(world)).call,
  issueRemoveLabel: async (world) => (await onIssue(world)).call,
}
