import { type Person, times, type World } from "../support/world.ts"
import type { Example, Examples } from "./example.ts"

interface Made {
  readonly id: number
}

/** An owner of projects, and a repository whose issues may be added to them. */
interface Place {
  readonly owner: Person
  /** Below /api/v1. */
  readonly at: string
  readonly path: Readonly<Record<string, string>>
  readonly repository: string
}

const places: Readonly<Record<string, (world: World) => Promise<Place>>> = {
  async userCurrent(world) {
    const owner = await world.person()
    const { repo } = await world.repository(owner)
    return { owner, at: "/user", path: {}, repository: `${owner.name}/${repo}` }
  },
  async org(world) {
    const organization = await world.organization(await world.person())
    const { repo } = await world.repository(organization)
    const { name, owner } = organization
    return { owner, at: `/orgs/${name}`, path: { org: name }, repository: `${name}/${repo}` }
  },
  async repo(world) {
    const owner = await world.person()
    const { repo } = await world.repository(owner)
    const repository = `${owner.name}/${repo}`
    return { owner, at: `/repos/${repository}`, path: { owner: owner.name, repo }, repository }
  },
}

/** The most columns that a project takes. */
const MOST_COLUMNS = 20

/** The examples of one kind of owner. */
function examplesAt(prefix: string, make: (world: World) => Promise<Place>): Examples {
  const withProjects = async (world: World, size: number) => {
    const place = await make(world)
    const projects = await times(size, () => world.must<Made>(place.owner, `POST ${place.at}/projects`, { title: world.unique("board") }))
    return { ...place, id: projects[0]?.id ?? 0 }
  }
  /** A project with so many columns, the first of them with so many issues. */
  const board = async (world: World, { columns = 2, issues = 1 } = {}) => {
    const place = await withProjects(world, 1)
    const at = `${place.at}/projects/${place.id}`
    const made = await times(columns, () => world.must<Made>(place.owner, `POST ${at}/columns`, { title: world.unique("column") }))
    const [first, second] = made.map(({ id }) => id)
    const cards = await times(issues, async () => {
      const issue = await world.must<Made>(place.owner, `POST /repos/${place.repository}/issues`, { title: world.unique("card") })
      await world.must(place.owner, `POST ${at}/columns/${first}/issues/${issue.id}`)
      return issue.id
    })
    return {
      ...place,
      columnIds: made.map(({ id }) => id),
      second: second ?? 0,
      path: { ...place.path, id: place.id, column_id: first ?? 0, issue_id: cards[0] ?? 0 },
    }
  }
  const calling = (place: { readonly owner: Person; readonly path: Example["path"] }, body?: object): Example => ({
    authorization: place.owner.authorization,
    ...(place.path && { path: place.path }),
    ...(body && { body }),
  })
  const on =
    (body?: object) =>
    async (world: World): Promise<Example> =>
      calling(await board(world), body)
  return {
    [`${prefix}ListProjects`]: async (world, size) => calling(await withProjects(world, size)),
    [`${prefix}CreateProject`]: async (world) =>
      calling(await make(world), { title: "Plan", description: "words", card_type: "images_and_text", template_type: "basic_kanban" }),
    [`${prefix}GetProject`]: on(),
    [`${prefix}EditProject`]: on({ title: "Plan", description: "words", card_type: "images_and_text", state: "closed" }),
    [`${prefix}DeleteProject`]: on(),
    [`${prefix}ListProjectColumns`]: async (world, size) => calling(await board(world, { columns: Math.min(size, MOST_COLUMNS) })),
    [`${prefix}CreateProjectColumn`]: on({ title: "Later", color: "#00aabb" }),
    [`${prefix}MoveProjectColumns`]: async (world) => {
      const made = await board(world)
      return calling(made, { column_ids: made.columnIds.toReversed() })
    },
    [`${prefix}GetProjectColumn`]: on(),
    [`${prefix}EditProjectColumn`]: on({ title: "Sooner", color: "#00aabb", sorting: -1 }),
    [`${prefix}DeleteProjectColumn`]: async (world) => {
      const made = await board(world)
      return calling({ ...made, path: { ...made.path, column_id: made.second } })
    },
    [`${prefix}SetDefaultProjectColumn`]: async (world) => {
      const made = await board(world)
      return calling({ ...made, path: { ...made.path, column_id: made.second } })
    },
    [`${prefix}ListProjectColumnIssues`]: async (world, size) => calling(await board(world, { issues: size })),
    [`${prefix}AddIssueToProjectColumn`]: async (world) => {
      const made = await board(world)
      const issue = await world.must<Made>(made.owner, `POST /repos/${made.repository}/issues`, { title: "enters" })
      return calling({ ...made, path: { ...made.path, issue_id: issue.id } })
    },
    [`${prefix}RemoveIssueFromProjectColumn`]: on(),
    [`${prefix}MoveProjectIssue`]: async (world) => {
      const made = await board(world)
      return calling(made, { column_id: made.second, sorting: 3 })
    },
  }
}

export const projectExamples: Examples = {
  ...Object.fromEntries(Object.entries(places).flatMap(([prefix, make]) => Object.entries(examplesAt(prefix, make)))),
  userListProjects: async (world, size) => {
    const owner = await world.person()
    await times(size, () => world.must(owner, "POST /user/projects", { title: world.unique("board") }))
    return { authorization: owner.authorization, path: { username: owner.name } }
  },
}
