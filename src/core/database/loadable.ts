import { type MigratingConnection, migrateDatabase } from "./migrate.ts"
import { migrations } from "./migrations/index.ts"
import { type DatabaseOptions, driverOptions, openDriver, wholeSchema } from "./open.ts"

/** A database that is filled from elsewhere. */
export interface Loadable extends Pick<MigratingConnection, "kind" | "read" | "write"> {
  /** Brings the tables to a step of the migrations: to the last one without it. */
  readonly migrateTo: (step?: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a database to be filled: its tables are as they are, and it may be one that was not filled whole. Throws {@link DatabaseRefused}. */
export async function openLoadable(options: DatabaseOptions): Promise<Loadable> {
  const driver = driverOptions(options)
  const { database, migrating } = await openDriver(driver)
  const { kind, read, write } = migrating
  return {
    kind,
    read,
    write,
    async migrateTo(step = migrations.length) {
      const isWhole = step === migrations.length
      await migrateDatabase({ ...migrating, copyBefore: undefined }, migrations.slice(0, step), {
        apply: true,
        logger: driver.logger,
        progress: options.progress,
        whole: isWhole ? wholeSchema : undefined,
        unfinished: true,
      })
    },
    close: () => database.close(),
  }
}

/** The steps that this program knows: how many, and the name of each. */
export const knownSteps = (): readonly string[] => migrations.map(({ name }) => name)
