/** The session behind a handle, which runs its statements. The handle itself is Kysely, for the types and the builder. */
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type KyselyProps,
  Transaction as KyselyTransaction,
  type QueryResult,
} from "kysely"
import type { DatabaseKind } from "./database.ts"
import { adapters, compilers, encode } from "./dialect.ts"

export interface Outcome<Row> {
  readonly rows: Row[]
  /** How many rows the statement inserted, updated or deleted. */
  readonly changes: number
}

/** Runs statements one at a time in the order given. The caller states the type `Row` of the result. */
export interface Session {
  readonly kind: DatabaseKind
  execute<Row>(sql: string, parameters: readonly unknown[], name?: string): Promise<Outcome<Row>>
}

const sessions = new WeakMap<object, Session>()

/** The session behind a handle. Throws for a handle that the database didn't make. */
export function sessionOf(handle: object): Session {
  const session = sessions.get(handle)
  if (session === undefined)
    throw new Error("This handle is not one that the database made; pass on `database.read` or the transaction itself.")
  return session
}

const refuseDriver = (): never => {
  throw new Error("Transactions and connections come from `database.write`, not from the handle.")
}

const driver: Driver = {
  init: async () => {},
  acquireConnection: async () => refuseDriver(),
  beginTransaction: async () => refuseDriver(),
  commitTransaction: async () => refuseDriver(),
  rollbackTransaction: async () => refuseDriver(),
  releaseConnection: async () => {},
  destroy: async () => {},
}

const dialects: Readonly<Record<DatabaseKind, Dialect>> = { sqlite: dialectOf("sqlite"), postgres: dialectOf("postgres") }

function dialectOf(kind: DatabaseKind): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => compilers[kind],
    createAdapter: () => adapters[kind],
    createIntrospector: () => {
      throw new Error("The tables are known from their types; introspection is not offered.")
    },
  }
}

function propsOver(session: Session): KyselyProps {
  const { kind } = session
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await session.execute<R>(
        query.sql,
        query.parameters.map((value) => encode(kind, value)),
      )
      return { rows, numAffectedRows: BigInt(changes) }
    },
    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await this.executeQuery<R>(query)
    },
  }
  const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(connection) }
  const dialect = dialects[kind]
  return { config: { dialect }, driver, dialect, executor: new DefaultQueryExecutor(compilers[kind], adapters[kind], provider) }
}

/** A reading handle over a session. */
export function handleOver<T>(session: Session): Kysely<T> {
  const handle = new Kysely<T>(propsOver(session))
  sessions.set(handle, session)
  return handle
}

/** A transaction's handle over a session. */
export function transactionOver<T>(session: Session): KyselyTransaction<T> {
  const handle = new KyselyTransaction<T>(propsOver(session))
  sessions.set(handle, session)
  return handle
}

/** A handle that only compiles. */
export function compilingHandle<T>(kind: DatabaseKind): Kysely<T> {
  return new Kysely<T>({ dialect: dialects[kind] })
}
