// Entry point of a worker with the whole engine.
import "./security/shut";
import { serve } from "./worker/serve";
import { whole } from "./worker/whole";

serve(whole);
