import { describeFailingStatements } from "./statements.ts"

describeFailingStatements("sqlite")
