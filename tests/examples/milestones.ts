import { times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

const DUE = { due_on: "2031-01-31T12:00:00Z" }

/** A repository with so many milestones. */
async function planned(world: World, size: number) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  const milestones = await times(size, () =>
    world.must<{ readonly id: number }>(owner, `POST /repos/${name}/${repo}/milestones`, { title: world.unique("milestone"), ...DUE }),
  )
  return { owner, authorization: owner.authorization, path: { owner: name, repo, id: milestones[0]?.id ?? 0 } }
}

const call = async (world: World, size = 1) => {
  const { authorization, path } = await planned(world, size)
  return { authorization, path }
}

export const milestoneExamples: Examples = {
  issueGetMilestonesList: call,
  issueGetMilestone: (world) => call(world),
  issueCreateMilestone: async (world) => ({
    ...(await call(world, 0)),
    body: { title: "v1", description: "words", state: "closed", ...DUE },
  }),
  issueEditMilestone: async (world) => ({
    ...(await call(world)),
    body: { title: "v2", description: "words", state: "closed", due_on: null },
  }),
  issueDeleteMilestone: async (world) => {
    const { owner, authorization, path } = await planned(world, 1)
    await world.must(owner, `POST /repos/${path.owner}/${path.repo}/issues`, { title: "planned", milestone: path.id })
    return { authorization, path }
  },
}
