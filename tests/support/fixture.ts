/** Where most tests begin: `test` of a world that is opened before the first test and closed when its file ends, on one database or on each. */
import { test as base, describe } from "vitest"
import type { ConfigOverrides } from "../../src/core/config.ts"
import type { FreshKind } from "./database.ts"
import { type Background, basic, type Caller, freshHearth, PASSWORD, type TestHearth } from "./hearth.ts"

/** What most tests run on. Those of what can differ between databases say `on: databaseKinds`; CONTRIBUTING.md has which they are. */
const oneDatabase: readonly FreshKind[] = ["sqlite"]

interface Openable {
  readonly close: () => Promise<void>
}

export interface Given<World> {
  readonly kind: FreshKind
  /** Vitest's `test`, whose tests share the world; its `beforeAll` prepares more in it. */
  readonly test: ReturnType<typeof worldTest<World & Openable>>["test"]
  /** The same world as the tests' context has: for functions that several tests use. There is nothing in it before the first test. */
  readonly world: World
}

interface WorldOptions<World> {
  readonly open: (kind: FreshKind) => Promise<World>
  /** SQLite unless said otherwise. */
  readonly on?: readonly FreshKind[]
}

/** Describes what `open` makes, on each of the databases. To be called at the top of a file, as Vitest asks of what a file shares. */
export function withWorld<World extends Openable>(
  title: string,
  { open, on = oneDatabase }: WorldOptions<World>,
  define: (given: Given<World>) => void,
): void {
  for (const kind of on) {
    const given = worldTest(() => open(kind))
    describe(`${title} on ${kind}`, () => define({ kind, ...given }))
  }
}

/** A person who is created first, with further members of the administrator's call. */
type Wanted<Name extends string> = Name | { readonly name: Name; readonly [setting: string]: unknown }

interface HearthOptions<Name extends string> extends Pick<WorldOptions<TestHearth>, "on">, Background {
  readonly people?: readonly Wanted<Name>[]
  readonly config?: ConfigOverrides
}

type GivenHearth<Name extends string> = Pick<Given<TestHearth>, "kind" | "test"> & {
  readonly forge: TestHearth
  readonly call: TestHearth["call"]
  /** Like `call`, for the status alone. */
  readonly status: (caller: Caller, route: string, body?: unknown) => Promise<number>
  /** Runs all background jobs that are due, and those that follow from them. */
  readonly settle: () => Promise<void>
} & Readonly<Record<Name, string>>

/** Describes a forge with these people, on each of the databases; they are given to `define` by name, as Basic headers. */
export function withHearth<const Name extends string = never>(
  title: string,
  { people = [], config = {}, on = oneDatabase, ...background }: HearthOptions<Name>,
  define: (given: GivenHearth<Name>) => void,
): void {
  const open = async (kind: FreshKind): Promise<TestHearth> => {
    const forge = await freshHearth(kind, config, background)
    for (const wanted of people) {
      const { name, ...more } = typeof wanted === "string" ? { name: wanted } : wanted
      await forge.person(name, more)
    }
    return forge
  }
  const headers = headersOf(people)
  withWorld(title, { open, on }, ({ kind, test, world: forge }) => {
    const call: TestHearth["call"] = (...given) => forge.call(...given)
    const status = async (caller: Caller, route: string, body?: unknown) => (await call(caller, route, body)).status
    const settle = () => forge.settle()
    define({ ...headers, kind, test, forge, call, status, settle })
  })
}

function headersOf<Name extends string>(people: readonly Wanted<Name>[]): Readonly<Record<Name, string>> {
  const names = people.map((wanted) => (typeof wanted === "string" ? wanted : wanted.name))
  return Object.assign(Object.create(null), ...names.map((name) => ({ [name]: basic(name, PASSWORD) })))
}

function worldTest<World extends Openable>(open: () => Promise<World>) {
  let opened: World | undefined
  const world: World = new Proxy(Object.create(null), {
    get: (_, name) => {
      if (opened === undefined) throw new Error(`${String(name)} is asked for before the first test or after the last: there is no world`)
      return Reflect.get(opened, name)
    },
  })
  const test = base
    .extend("open", { scope: "file" }, () => open)
    .extend("world", { scope: "file", auto: true }, async ({ open: make }, { onCleanup }) => {
      const made = await make()
      opened = made
      onCleanup(() => {
        opened = undefined
        return made.close()
      })
      return made
    })
  return { test, world }
}
