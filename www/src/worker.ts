// Entry point of a worker.
import "./security/shut";
import "./worker/serve";
