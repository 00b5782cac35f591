import type { Answer, Caller, TestHearth } from "../../../../tests/support/hearth.ts"

/** The caller of a request instead of the default one; null for anonymous. */
export type By = Caller | null

/** Calls on the projects of one owner scope ("/user", "/orgs/…", "/repos/…/…"), for tests. */
export const projectsOf = ({ call }: TestHearth, caller: Caller, place: string) => {
  const at = `${place}/projects`
  const on = (route: string, body?: object, by: By = caller): Promise<Answer> => {
    const [method = "", path = ""] = route.split(" ")
    return call(by ?? undefined, `${method} ${at}${path}`, body)
  }
  return {
    on,
    status: async (route: string, body?: object, by: By = caller): Promise<number> => (await on(route, body, by)).status,
    create: async (options: object = {}): Promise<number> => (await on("POST", { title: "Board", ...options })).body.id,
    /** A board and its columns, each by its title. */
    board: async (options: object = { template_type: "basic_kanban" }) => {
      const { body: project } = await on("POST", { title: "Board", ...options })
      const { body: columns } = await on(`GET /${project.id}/columns`)
      const column = (title: string): number => columns.find((one: { title: string }) => one.title === title).id
      return { id: project.id as number, column }
    },
    columns: async (id: number): Promise<Answer["body"][]> => (await on(`GET /${id}/columns`)).body,
    /** The titles in a column, in their order. */
    titles: async (id: number, columnId: number, by: By = caller): Promise<string> => {
      const { body, headers } = await on(`GET /${id}/columns/${columnId}/issues?limit=50`, undefined, by)
      const titles = body.map(({ title }: { title: string }) => title)
      if (titles.length < 50 && headers.get("x-total-count") !== String(titles.length)) throw new Error("the total is not that of the list")
      return titles.join(" ")
    },
  }
}
