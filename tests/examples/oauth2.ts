import { type Person, times, type World } from "../support/world.ts"
import type { Example, Examples } from "./example.ts"

const as = ({ authorization }: Person) => ({ authorization })
const option = (world: World) => ({
  name: world.unique("application"),
  redirect_uris: ["https://board.example.com/cb", "http://127.0.0.1"],
  confidential_client: true,
  skip_secondary_authorization: false,
})

/** A user with applications. */
async function owning(world: World, size: number) {
  const person = await world.person()
  const made = await times(size, () => world.must<{ id: number }>(person, "POST /user/applications/oauth2", option(world)))
  return { person, path: { id: made[0]?.id ?? 0 } }
}

const one = async (world: World): Promise<Example> => {
  const { person, path } = await owning(world, 1)
  return { ...as(person), path }
}

export const oauth2Examples: Examples = {
  userGetOauth2Application: async (world, size) => as((await owning(world, size)).person),
  userCreateOAuth2Application: async (world) => ({ ...as(await world.person()), body: option(world) }),
  userGetOAuth2Application: one,
  userUpdateOAuth2Application: async (world) => ({ ...(await one(world)), body: option(world) }),
  userDeleteOAuth2Application: one,
}
