import type { Person } from "./model.ts"

/** A person with all that git requires; old and damaged commits may lack parts of it. */
export const completePerson = (person: Person): Person => ({
  ...person,
  name: /[\p{L}\p{N}]/u.test(person.name) ? person.name : "unknown",
  when: Math.max(0, person.when),
})
