// Entry point of a worker.
import "./security/shut";
import { serve } from "./worker/serve";

serve();
