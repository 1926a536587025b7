// Entry point of a worker with the first engine, which reads SWF only and knows no plans.
import "./security/shut";
import { serve } from "./worker/serve";

serve();
