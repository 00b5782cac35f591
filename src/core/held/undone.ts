import type { Services } from "../services.ts"
import { servicesInside } from "./services.ts"

/** Rolls a transaction back that has not failed. */
class Undone extends Error {
  constructor() {
    super("what was done is undone")
    this.name = "Undone"
  }
}

interface Worked<R> {
  readonly value: R
  /** Nothing of it stays. */
  readonly isUndone: boolean
}

/** Does work in one transaction, see `hold`, and undoes it where the work says so: gives its value either way. */
export async function heldOrUndone<R>(services: Services, work: (held: Services) => Promise<Worked<R>>): Promise<R> {
  const last: { worked?: Worked<R> } = {}
  try {
    return await services.database.hold(async (tx) => {
      const worked = await work(servicesInside(services, tx))
      last.worked = worked
      if (worked.isUndone) throw new Undone()
      return worked.value
    })
  } catch (error) {
    if (error instanceof Undone && last.worked) return last.worked.value
    throw error
  }
}
