import type { FastifyInstance } from "fastify"
import type { Services } from "../../../core/services.ts"
import type { SignIn } from "../../../features/people/sign-in/sign-in.ts"
import { registerConfirm } from "./confirm.ts"
import { registerLogin } from "./login.ts"
import { registerProviders } from "./providers.ts"
import { registerSignUp } from "./sign-up.ts"

/** The pages on which people sign in, sign out, and make accounts. They are no declared pages, because they begin and end sessions. */
export function registerSignIn(app: FastifyInstance, services: Services, signIn: SignIn): void {
  registerLogin(app, services, signIn)
  registerProviders(app, services, signIn)
  registerSignUp(app, services)
  registerConfirm(app, services, signIn)
}
