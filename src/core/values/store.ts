import { type Params, query } from "../database/query.ts"

/** What all servers of one site have to agree on, and the tables of no feature have. */

export const findValue = query("siteValues.find", (db, p: Params<{ name: string }>) =>
  db.selectFrom("site_values").select("value").where("name", "=", p.name),
)

/** Of several processes that give the first value, one does. */
export const putFirstValue = query("siteValues.putFirst", (db, p: Params<{ name: string; value: string }>) =>
  db
    .insertInto("site_values")
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.doNothing()),
)

export const dropValue = query("siteValues.drop", (db, p: Params<{ name: string }>) =>
  db.deleteFrom("site_values").where("name", "=", p.name),
)

export const putValue = query("siteValues.put", (db, p: Params<{ name: string; value: string }>) =>
  db
    .insertInto("site_values")
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet((eb) => ({ value: eb.ref("excluded.value") }))),
)
