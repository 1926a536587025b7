// A worker begins here.
import "./security/shut";
import "./worker/serve";
