import fc from "fast-check"
import { expect } from "vitest"
import { databaseKinds, statementsOf } from "../../../../tests/support/database.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import type { Answer } from "../../../../tests/support/hearth.ts"
import { projectsOf } from "../projects/testing.ts"

/** An action on a board, with issues and columns by their positions in lists. */
type Action =
  | { readonly kind: "add" | "remove"; readonly issue: number; readonly column: number }
  | { readonly kind: "move"; readonly issue: number; readonly column: number; readonly sorting: number | undefined }
  | { readonly kind: "drop"; readonly column: number }

interface OrderedCard {
  readonly column: number
  readonly sorting: number
}

/** A board as plain data: which columns are there, and where each issue is. */
interface Board {
  readonly columns: ReadonlySet<number>
  readonly cards: ReadonlyMap<number, OrderedCard>
}

const ISSUES = 5
const COLUMNS = 3
const issue = fc.nat(ISSUES - 1)
const column = fc.nat(COLUMNS - 1)
const sorting = fc.option(fc.integer({ min: -2, max: 3 }), { nil: undefined })
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("add" as const), issue, column }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("move" as const), issue, column, sorting }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), issue, column }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop" as const), column }) },
)
/** The actions of each inner list are done concurrently. */
const rounds = fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 })

const inColumn = ({ cards }: Board, at: number) =>
  [...cards].filter(([, card]) => card.column === at).sort(([a, { sorting: x }], [b, { sorting: y }]) => x - y || b - a)

const behindLast = (board: Board, at: number): number => (inColumn(board, at).at(-1)?.[1].sorting ?? -1) + 1

/** What an action does by the rules, one after the other: the status of its answer, and the board afterwards. Column 0 is the default. */
function act(board: Board, done: Action): readonly [number, Board] {
  const { columns, cards } = board
  const missing = done.kind === "move" ? 422 : 404
  if (!columns.has(done.column)) return [missing, board]
  if (done.kind === "drop") {
    if (done.column === 0) return [422, board]
    const first = behindLast(board, 0)
    const moved = inColumn(board, done.column).map(([id], index) => [id, { column: 0, sorting: first + index }] as const)
    return [204, { columns: new Set([...columns].filter((each) => each !== done.column)), cards: new Map([...cards, ...moved]) }]
  }
  const here = cards.get(done.issue)
  if (done.kind === "remove") {
    if (here?.column !== done.column) return [404, board]
    return [204, { columns, cards: new Map([...cards].filter(([id]) => id !== done.issue)) }]
  }
  if (done.kind === "move" && !here) return [422, board]
  const wanted = done.kind === "move" ? done.sorting : undefined
  const card = { column: done.column, sorting: wanted ?? behindLast(board, done.column) }
  return [done.kind === "add" ? 201 : 204, { columns, cards: new Map([...cards, [done.issue, card]]) }]
}

/** Every possible order of concurrent actions: the statuses, in the order of the actions, and the board. */
function* outcomes(board: Board, done: readonly Action[]): Generator<readonly [ReadonlyMap<Action, number>, Board]> {
  if (done.length === 0) yield [new Map(), board]
  for (const first of done) {
    const [status, after] = act(board, first)
    for (const [statuses, last] of outcomes(
      after,
      done.filter((other) => other !== first),
    ))
      yield [new Map([...statuses, [first, status]]), last]
  }
}

withHearth("the order of cards", { on: databaseKinds }, ({ kind, test, forge }) => {
  const callers: string[] = []
  const issueIds: number[] = []
  test.beforeAll(async () => {
    for (const name of ["ann", "ben", "cyd", "dee"]) callers.push(await forge.person(name))
    const [ann] = callers
    await forge.call(ann, "POST /user/repos", { name: "box" })
    for (const name of ["ben", "cyd", "dee"]) await forge.call(ann, `PUT /repos/ann/box/collaborators/${name}`, { permission: "write" })
    for (let n = 0; n < ISSUES; n++) issueIds.push((await forge.call(ann, "POST /repos/ann/box/issues", { title: `i${n}` })).body.id)
  })

  test("concurrent actions are serialisable", async () => {
    const projects = projectsOf(forge, callers[0], "/repos/ann/box")
    await fc.assert(
      fc.asyncProperty(rounds, async (script) => {
        const { id } = await projects.board()
        const columnIds = (await projects.columns(id)).slice(0, COLUMNS).map((each) => each.id)
        const perform = async (done: Action, by: string | undefined): Promise<number> => {
          const at = `/${id}/columns/${columnIds[done.column]}`
          if (done.kind === "drop") return projects.status(`DELETE ${at}`, undefined, by)
          const issueId = issueIds[done.issue]
          if (done.kind !== "move")
            return projects.status(`${done.kind === "add" ? "POST" : "DELETE"} ${at}/issues/${issueId}`, undefined, by)
          const place = done.sorting === undefined ? {} : { sorting: done.sorting }
          return projects.status(`POST /${id}/issues/${issueId}/move`, { column_id: columnIds[done.column], ...place }, by)
        }
        const seen = async (): Promise<Board> => {
          const columns = (await projects.columns(id)).map((each) => columnIds.indexOf(each.id)).filter((index) => index >= 0)
          const { read } = forge.hearth.services.database
          const rows = await read.selectFrom("project_cards").selectAll().where("project_id", "=", id).execute()
          const placed = rows.map((row) => {
            const card = { column: columnIds.indexOf(row.column_id), sorting: row.sorting }
            return [issueIds.indexOf(row.issue_id), card] as const
          })
          return { columns: new Set(columns), cards: new Map(placed.sort(([a], [b]) => a - b)) }
        }

        let board: Board = { columns: new Set(columnIds.keys()), cards: new Map() }
        for (const done of script) {
          const statuses = await Promise.all(done.map((each, index) => perform(each, callers[index])))
          const now = await seen()
          const possible = [...outcomes(board, done)].map(([answers, after]) => ({
            statuses: done.map((each) => answers.get(each)),
            columns: after.columns,
            cards: new Map([...after.cards].sort(([a], [b]) => a - b)),
          }))
          expect(possible).toContainEqual({ statuses, ...now })
          board = now
          // What is listed is the board, in its order, each issue once.
          for (const at of board.columns) {
            const titles = inColumn(board, at).map(([index]) => `i${index}`)
            expect(await projects.titles(id, columnIds[at])).toBe(titles.join(" "))
          }
          expect((await projects.on(`GET /${id}`)).body.num_issues).toBe(board.cards.size)
        }
      }),
      { numRuns: kind === "sqlite" ? 25 : 12 },
    )
  })

  test("a column of ten thousand is moved in by one write of one card, and read by as many queries as a short one", async () => {
    const { services } = forge.hearth
    const projects = projectsOf(forge, callers[0], "/repos/ann/box")
    const repository = (await forge.call(callers[0], "GET /repos/ann/box")).body.id
    const { id, column: titled } = await projects.board()
    const [long, short] = [titled("To Do"), titled("Done")]
    await services.database.write(async (tx) => {
      const now = services.now()
      const fresh = { repository_id: repository, is_pull: 0, author_id: 1, content: "", created_at: now, updated_at: now } as const
      for (let from = 0; from < 10_020; from += 1_002) {
        const numbers = Array.from({ length: 1_002 }, (_, index) => from + index)
        const issues = numbers.map((at) => ({ ...fresh, number: 1_000 + at, title: `t${at}` }))
        const rows = await tx.insertInto("issues").values(issues).returning(["id", "number"]).execute()
        const filled = rows.map(({ id: issue_id, number }) => {
          const at = number - 1_000
          const place = at < 20 ? { column_id: short, sorting: at } : { column_id: long, sorting: at - 20 }
          return { project_id: id, issue_id, repository_id: repository, is_pull: 0, is_closed: 0, ...place } as const
        })
        await tx.insertInto("project_cards").values(filled).execute()
      }
    })
    const cards = () =>
      services.database.read.selectFrom("project_cards").select(["issue_id", "column_id", "sorting"]).where("project_id", "=", id).execute()
    const page = async (columnId: number, number: number): Promise<Answer["body"][]> =>
      (await projects.on(`GET /${id}/columns/${columnId}/issues?limit=10&page=${number}`)).body

    const [moved] = await page(long, 500)
    const before = new Map((await cards()).map((card) => [card.issue_id, card]))
    const move = (place: object) =>
      statementsOf(services.database, () => projects.on(`POST /${id}/issues/${moved.id}/move`, { column_id: long, ...place }))
    for (const [place, first] of [
      [{ sorting: -1 }, true],
      [{ sorting: 7_000 }, false],
      [{}, false],
    ] as const) {
      const writes = (await move(place)).filter(({ sql }) => /^(insert|update|delete)/.test(sql))
      expect(writes.map(({ name }) => name)).toEqual([expect.stringMatching(/^projects\.moveCardTo/), "events.append"])
      expect((await page(long, 1))[0].title === moved.title).toBe(first)
    }
    const after = await cards()
    const changed = after.filter((card) => before.get(card.issue_id)?.sorting !== card.sorting)
    expect([after.length, changed.map((card) => card.issue_id), changed[0]?.sorting]).toEqual([before.size, [moved.id], 10_000])
    expect((await page(long, 1000)).at(-1).title).toBe(moved.title)

    const asked = async (columnId: number, number: number) =>
      (await statementsOf(services.database, () => page(columnId, number))).map(({ name, sql }) => name ?? sql)
    for (const number of [2, 900]) expect((await asked(long, number)).length).toBe((await asked(short, number === 2 ? 1 : 2)).length)
  })
})
